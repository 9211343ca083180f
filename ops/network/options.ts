import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { PROJECT } from '../../scripts/wrangler.ts';
import { isVisibleText } from '../../src/lib/visible-text.ts';
import { type GatekeeperNetwork, isGatekeeperNetwork } from '../../src/network/slot.ts';
import { canonicalWalletOfAnyChain } from '../../src/network/wallet.ts';
import { NODE_OPTIONS, NODE_USAGE, type NodeOptions, parseNodeOptions } from '../nodes/options.ts';

export const USAGE = `Usage: npm run network -- VERB
  keygen --out FILE                  creates the key pair that names a gatekeeper network on every chain
  show KEY [ADDRESS…]                shows a gatekeeper network on each named network
  create KEY [ADDRESS…] --name NAME  creates it, and adds the gatekeepers
  add-gatekeeper KEY [ADDRESS…]
  remove-gatekeeper KEY ADDRESS…
  add-authority KEY ADDRESS…         Ethereum-type networks only, as are the next two
  remove-authority KEY ADDRESS…
  rename KEY --name NAME
KEY is the public key of the gatekeeper network. Without an ADDRESS, show, create and add-gatekeeper take the gatekeeper keys of
the deployment (--local, --env).
${NODE_USAGE}
--authority-key-file FILE
                   key of the account that sends: hex for Ethereum-type networks, the JSON array of solana-keygen for Solana.
                   Repeat it for both. Only its owner may be able to read the file
--authority ADDRESS
                   for show and --calldata: the account on Ethereum-type networks, instead of a key file
--calldata FILE    sends nothing, and writes the calls for Safe's transaction builder. Several networks get a file each
--state FILE       file with the transactions under way; default: .dev/network-transactions.json, with --local
                   .dev/local-network-transactions.json
--yes              sends without asking
--mainnet          allows transactions on mainnets
--json             show prints JSON
--help             prints this text`;

export type Verb = 'create' | 'add-gatekeeper' | 'remove-gatekeeper' | 'add-authority' | 'remove-authority' | 'rename';

export interface ChangeCommand {
  readonly type: Verb;
  readonly key: GatekeeperNetwork;
  /** Canonical addresses on either chain; empty: the deployment's gatekeeper keys. */
  readonly addresses: readonly string[];
  /** New name, for `create` and `rename`. */
  readonly name: string | undefined;
  readonly nodes: NodeOptions;
  readonly keyFiles: readonly string[];
  readonly authority: string | undefined;
  readonly calldata: string | undefined;
  readonly state: string;
  readonly yes: boolean;
  readonly mainnet: boolean;
}

export interface ShowCommand extends Pick<ChangeCommand, 'key' | 'addresses' | 'nodes' | 'keyFiles' | 'authority'> {
  readonly type: 'show';
  readonly json: boolean;
}

export type NetworkCommand =
  | { readonly type: 'help' }
  | { readonly type: 'keygen'; readonly out: string }
  | ShowCommand
  | ChangeCommand;

const VERBS: readonly Verb[] = [
  'create',
  'add-gatekeeper',
  'remove-gatekeeper',
  'add-authority',
  'remove-authority',
  'rename',
];
/** Verbs that need at least one address. */
const NEEDS_ADDRESS: readonly string[] = ['remove-gatekeeper', 'add-authority', 'remove-authority'];
const NEEDS_NAME: readonly string[] = ['create', 'rename'];

/** Returns the parsed command line. Throws Failure on an invalid argument. */
export function parseNetworkCommand([verb = '', ...args]: readonly string[]): NetworkCommand {
  if (verb === '--help' || args.includes('--help')) return { type: 'help' };
  if (verb === 'keygen') {
    const { out } = parseArgs({ args, options: { out: { type: 'string' } } }).values;
    if (out === undefined || out.trim() === '') throw new Failure('keygen needs --out FILE', 2);
    return { type: 'keygen', out: resolve(out) };
  }
  if (verb !== 'show' && !isVerb(verb)) throw new Failure(USAGE, 2);
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const shared = {
    ...parseSubject(verb, positionals),
    nodes: parseNodeOptions(values),
    keyFiles: values['authority-key-file'].map((file) => {
      demandNoKey(file);
      return resolve(file);
    }),
    authority: values.authority === undefined ? undefined : parseEthereumAddress(values.authority),
  };
  if (shared.authority !== undefined && shared.keyFiles.length > 0)
    throw new Failure('give --authority or --authority-key-file, not both', 2);
  if (verb === 'show') {
    for (const option of ['name', 'calldata', 'state', 'yes', 'mainnet'] as const)
      if (values[option]) throw new Failure(`show takes no --${option}`, 2);
    return { type: verb, ...shared, json: values.json };
  }
  if (values.json) throw new Failure('--json is only for show', 2);
  const calldata = values.calldata === undefined ? undefined : resolve(values.calldata);
  if (calldata === undefined && shared.authority !== undefined)
    throw new Failure('--authority sends nothing: give --authority-key-file FILE, or --calldata FILE', 2);
  if (calldata === undefined && shared.keyFiles.length === 0)
    throw new Failure('name the key of the account that sends with --authority-key-file FILE', 2);
  return {
    type: verb,
    ...shared,
    name: parseName(verb, values.name),
    calldata,
    // A rehearsal on the localnet uses the chain ids of real networks, so its transactions must never be sent there.
    state: resolve(
      values.state ?? resolve(PROJECT, '.dev', `${values.local ? 'local-' : ''}network-transactions.json`),
    ),
    yes: values.yes,
    mainnet: values.mainnet,
  };
}

const OPTIONS = {
  ...NODE_OPTIONS,
  name: { type: 'string' },
  'authority-key-file': { type: 'string', multiple: true, default: [] as string[] },
  authority: { type: 'string' },
  calldata: { type: 'string' },
  state: { type: 'string' },
  yes: { type: 'boolean', default: false },
  mainnet: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

const isVerb = (text: string): text is Verb => (VERBS as readonly string[]).includes(text);

function parseSubject(verb: string, [key = '', ...rest]: readonly string[]): Pick<ChangeCommand, 'key' | 'addresses'> {
  if (!isGatekeeperNetwork(key))
    throw new Failure(
      `${verb} needs the KEY of a gatekeeper network: 32 bytes in base58, of which the first 24 are not all zero`,
      2,
    );
  const addresses = rest.map(parseAddress);
  if (addresses.length === 0 && NEEDS_ADDRESS.includes(verb)) throw new Failure(`${verb} needs an ADDRESS`, 2);
  if (addresses.length > 0 && verb === 'rename') throw new Failure('rename takes no ADDRESS', 2);
  if (/authority$/.test(verb) && addresses.some((address) => !address.startsWith('0x')))
    throw new Failure(`${verb} takes addresses of Ethereum-type networks: Solana has no authorities`, 2);
  return { key, addresses: [...new Set(addresses)] };
}

/** The Failure does not quote a private key in the wrong place. */
function demandNoKey(text: string): void {
  if (/^(0x)?[0-9a-f]{64}$/i.test(text) || text.startsWith('['))
    throw new Failure('a key must be in a file of --authority-key-file, not on the command line', 2);
}

function parseAddress(text: string): string {
  demandNoKey(text);
  const address = canonicalWalletOfAnyChain(text);
  if (address === undefined) throw new Failure(`"${text}" is not an address`, 2);
  return address;
}

function parseEthereumAddress(text: string): string {
  const address = parseAddress(text);
  if (!address.startsWith('0x')) throw new Failure('--authority must be an address of an Ethereum-type network', 2);
  return address;
}

const NAME_MAX_CHARS = 100;

/** In an older build of the contract, anybody can create a gatekeeper network with an empty name again. */
function parseName(verb: string, name: string | undefined): string | undefined {
  if (!NEEDS_NAME.includes(verb)) {
    if (name !== undefined) throw new Failure(`${verb} takes no --name`, 2);
    return undefined;
  }
  if (name === undefined || name.trim() === '') throw new Failure(`${verb} needs --name NAME`, 2);
  if (!isVisibleText(name) || name.length > NAME_MAX_CHARS)
    throw new Failure(
      `--name must have at most ${NAME_MAX_CHARS} characters and no control characters, line breaks or marks of the writing direction`,
      2,
    );
  return name;
}
