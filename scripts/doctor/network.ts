import { openChain } from '../../src/chain/open-chain.ts';
import type { Look } from '../../src/chain/port.ts';
import type { Config } from '../../src/config/config.ts';
import { type EnabledNetwork, signersOn } from '../../src/config/enabled.ts';
import type { Network } from '../../src/network/networks.ts';
import type { ChainDoctor } from './chain.ts';
import { check, type Finding, ok, unchecked, type Verdict, wrong } from './check.ts';
import { type Wanted, wantedOn } from './databases.ts';
import { endpointVerdict } from './endpoint.ts';
import { fundsVerdict } from './funds.ts';
import { onEthereum } from './on-ethereum.ts';
import { onSolana } from './on-solana.ts';

/** A network that has endpoints: each of these, the contract or program, and what each key may and can. */
export async function networkFindings(
  config: Config,
  network: Network,
  wanted: Promise<readonly Wanted[] | undefined>,
): Promise<Finding[]> {
  const { network: name } = network;
  const chain = network.chain === 'ethereum' ? onEthereum(network, config) : onSolana(network, config);
  const urls = config.rpc[name] ?? [];
  const { identity, history } = chain;
  const shared = await Promise.all([
    ...urls.map((url, index) =>
      check(`${name}, endpoint ${index + 1} of ${urls.length}`, () =>
        endpointVerdict(network, identity, url, chain.probe),
      ),
    ),
    check(`${name}, gateway`, chain.gateway),
    ...(history ? [check(`${name}, history`, () => historyVerdict(history))] : []),
  ]);
  const signers = signersOn(config, network);
  if (signers.length === 0) return [...shared, ...(await withoutSigner(config, network))];
  const isThere = shared.find((each) => each.name === `${name}, gateway`)?.verdict.is === 'ok';
  const wishes = await wanted;
  const here = wishes && wantedOn(name, wishes);
  const ofSigners = await Promise.all(signers.map((signer) => signerFindings(config, chain, signer, isThere, here)));
  const retired = signers.every(({ gatekeeper }) => gatekeeper.retired)
    ? [check(`${name}, keys`, () => ALL_RETIRED)]
    : [];
  return [...shared, ...(await Promise.all(retired)), ...ofSigners.flat()];
}

const ALL_RETIRED = wrong(
  'every key is retired: nobody issues new passes',
  'take one out of RETIRED_GATEKEEPERS, or add a key',
);

async function historyVerdict(history: () => Promise<Verdict>): Promise<Verdict> {
  try {
    return await history();
  } catch (fault) {
    if (!/no history/.test(Object(fault).message)) throw fault;
    return wrong('no endpoint has the history of transactions', 'name one that searches it (searchTransactionHistory)');
  }
}

/** Without the contract that is told already. */
function withoutSigner({ gatekeepers }: Config, { network, chain }: Network): Promise<Finding[]> {
  if (gatekeepers[chain].length > 0) return Promise.resolve([]);
  const remedy = `set ${chain.toUpperCase()}_GATEKEEPER_KEY, or take ${network} out of RPC_ENDPOINTS`;
  const verdict = wrong('there is no key of this chain: the network is not enabled', remedy);
  return Promise.all([check(`${network}, gatekeeper`, () => verdict)]);
}

const NO_GATEWAY = unchecked('there is nothing at the address of the gateway that could be asked');
const NO_NETWORKS = unchecked('the partners are not known: name a gatekeeper network with --gatekeeper-network KEY');
const NO_PARTNER = unchecked('no partner may issue here: name a gatekeeper network with --gatekeeper-network KEY');

/**
 * Whether the key may issue, and for how many passes its funds last: by a look of the Worker's own at a wallet that nobody
 * has. Nothing is signed.
 * @param here Gatekeeper networks that passes may be issued for on this network; undefined: not known.
 */
async function signerFindings(
  config: Config,
  chain: ChainDoctor,
  signer: EnabledNetwork,
  isThere: boolean,
  here: readonly string[] | undefined,
): Promise<Finding[]> {
  const { network, gatekeeper } = signer;
  const name = `${network.network}, gatekeeper ${gatekeeper.address}${gatekeeper.retired ? ' (retired)' : ''}`;
  if (!isThere) return Promise.all([check(name, () => NO_GATEWAY)]);
  const trial = here?.length ? tried(config, chain, signer, here) : undefined;
  // Each check hears of its fault; without any, nobody would.
  trial?.catch(() => {});
  const registered = (here ?? []).map((gatekeeperNetwork, index) =>
    check(`${name} in ${gatekeeperNetwork}`, async () =>
      registeredVerdict((await trial) as Trial, index, chain.registration(signer, gatekeeperNetwork)),
    ),
  );
  const unnamed = here?.length ? [] : [check(name, () => (here ? NO_PARTNER : NO_NETWORKS))];
  const funds = check(`${name}, funds`, async () => fundsVerdict(chain, signer, (await trial)?.cost));
  return Promise.all([...registered, ...unnamed, funds]);
}

interface Trial {
  readonly look: Look;
  /** What the chain says besides, in the order of the gatekeeper networks. */
  readonly registered: readonly (boolean | undefined)[];
  /** Of an issuance, where one was found ready; `more`: than the key has. */
  readonly cost: bigint | 'more' | undefined;
}

async function tried(
  config: Config,
  chain: ChainDoctor,
  signer: EnabledNetwork,
  here: readonly string[],
): Promise<Trial> {
  const { chain: type, network } = signer;
  const steps = here.map((gatekeeperNetwork) => ({
    id: `doctor:${gatekeeperNetwork}`,
    kind: 'issue' as const,
    key: { gatekeeperNetwork, chain: type, network: network.network, wallet: chain.wallet() },
  }));
  const [look, registered] = await Promise.all([
    openChain(signer, config).look(steps, 0),
    chain.registered(signer, here),
  ]);
  const ready = look.findings.find((finding) => finding.is === 'ready');
  const isBroke = look.findings.some((finding) => finding.is === 'not-now' && /funds/.test(finding.why));
  return { look, registered, cost: ready ? await chain.cost(ready, look.terms) : isBroke ? 'more' : undefined };
}

function registeredVerdict({ look, registered }: Trial, index: number, remedy: string): Verdict {
  const finding = look.findings[index];
  if (registered[index] === false) return wrong('it is no gatekeeper there', remedy);
  switch (finding?.is) {
    case 'ready':
      return ok('it may issue');
    case 'refused':
      return wrong(finding.reason, 'ask who governs the gatekeeper network');
    case 'not-now':
      return notNow(finding, registered[index] === true, remedy);
    default:
      return wrong('the chain holds a token of a wallet that nobody has', 'name another endpoint');
  }
}

function notNow(
  { why, keeps }: { readonly why: string; readonly keeps: string },
  isRegistered: boolean,
  remedy: string,
): Verdict {
  if (keeps === 'gatekeeper-network') return wrong(why, remedy);
  // Its funds have a line of their own.
  if (/funds/.test(why)) return isRegistered ? ok('it is a gatekeeper there') : unchecked(why);
  if (/maxFeePerGas/.test(why)) return wrong(why, 'wait, or raise maxFeePerGas in NETWORKS');
  return wrong(why, 'try again; if it stays so, name another endpoint');
}
