import { type Command, InvalidArgumentError, Option } from 'commander';
import { wholeNumber } from '../../cli/src/parse-number.ts';
import { npmCommand, type Run } from '../../scripts/command.ts';
import { Failure } from '../../scripts/failure.ts';
import {
  contractAddress,
  demandOneOf,
  demandWith,
  filePath,
  gatekeeperNetwork,
  networkName,
  shardName,
} from '../../scripts/option-values.ts';
import { storageFolderOf } from '../../scripts/wrangler.ts';
import { CLIENT_ID, PERSON_CLAIM_MAX_CHARS } from '../../src/config/token-rules.ts';
import { isVisibleText, VISIBLE_TEXT_RULE } from '../../src/lib/visible-text.ts';
import type { Contracts } from '../../src/network/contract.ts';
import { findNetwork, NETWORKS } from '../../src/network/networks.ts';
import type { PartnerRow, PartnerSettings } from './sql.ts';

/** A parsed command, with the arguments that select the database in wrangler. */
export type PartnerCommand = { readonly database: readonly string[] } & (
  | { readonly type: 'add'; readonly partner: PartnerRow; readonly environment: string | undefined }
  | { readonly type: 'set'; readonly clientId: string; readonly settings: PartnerSettings }
  | { readonly type: 'list' }
  | { readonly type: 'export' | 'import'; readonly file: string; readonly environment: string | undefined }
  | { readonly type: 'network'; readonly gatekeeperNetwork: string; readonly isPublic: boolean }
  | { readonly type: 'suspend' | 'resume'; readonly clientId: string }
);

interface DatabaseValues {
  readonly local?: true;
  readonly remote?: true;
  readonly state?: string;
  readonly env?: string;
}

/** The operator must name every limit of a new partner. This word says that there is none. */
const UNLIMITED = 'unlimited';
const HUNDRED_YEARS_SECONDS = 100 * 365 * 24 * 3600;
/** Maximum quota. One object counts a day's issuances and changes, and stores about 150 bytes for each of them. */
const DAILY_MAX = 5_000_000;

/** The options with the settings of a partner. `add` requires the limits, and `set` changes the given ones. */
const settingOptions = () => ({
  limits: [
    new Option('--networks <list>', `where it may issue passes: sepolia,baseSepolia or ${UNLIMITED}`).argParser(
      orNone(UNLIMITED, networkNames),
    ),
    new Option(
      '--daily-issuances <number>',
      `how many passes it may issue per day (UTC): 0 (none at all) to ${DAILY_MAX}, or ${UNLIMITED}`,
    ).argParser(orNone(UNLIMITED, wholeNumber(0, DAILY_MAX))),
    new Option(
      '--daily-changes <number>',
      `how many changes it may request per day (UTC), or ${UNLIMITED}; revoking is always possible`,
    ).argParser(orNone(UNLIMITED, wholeNumber(0, DAILY_MAX))),
  ],
  others: [
    new Option(
      '--lifetime <seconds>',
      `how long its new passes are valid by default, at most ${HUNDRED_YEARS_SECONDS} (a hundred years), or ${UNLIMITED}`,
    ).argParser(orNone(UNLIMITED, wholeNumber(1, HUNDRED_YEARS_SECONDS))),
    new Option('--organization <id>', 'whose members may sign in to the console for it, or none').argParser(
      orNone('none', organization),
    ),
  ],
});

/** Returns the command with its verbs. */
export function partnerCommand(run: Run<PartnerCommand>): Command {
  const program = npmCommand(
    'partner',
    'Manages the partners, which are rows of D1. With --local, stop the Worker first.',
  );
  const verb = (name: string, description: string) =>
    program
      .command(name)
      .description(description)
      .option('--local', 'the database of a stopped `npm run dev`')
      .option('--state <dir>', 'its state folder', filePath)
      .option('--remote', 'the database of a deployed service')
      .option('--env <name>', 'its block of wrangler.toml');

  const adding = verb('add', 'Registers a partner.')
    .requiredOption('--client-id <id>', 'its OAuth client', clientId)
    .requiredOption('--name <name>', 'its name', visibleText)
    .requiredOption('--gatekeeper-network <key>', 'the public key of its gatekeeper network', gatekeeperNetwork)
    .option(
      '--shard <name>',
      'binding of the database for its passes, for example DB_1; default: the shard that already holds passes of the ' +
        'gatekeeper network, or DB if there is none',
      shardName,
    )
    .addOption(
      new Option(
        '--contract <network=address>',
        'contract of its passes on an Ethereum-type network, which never changes; may be repeated; default: the one that the ' +
          'gatekeeper network already has, or the default contract of the network at the first issuance',
      ).argParser(addContract),
    )
    .action(({ contract: contracts, ...values }: DatabaseValues & PartnerRow & { readonly contract?: Contracts }) =>
      run({
        type: 'add',
        database: databaseOf(values),
        environment: values.env,
        partner: { ...partnerOf(values), ...(contracts && { contracts }) },
      }),
    );
  const { limits, others } = settingOptions();
  for (const option of [...limits.map((limit) => limit.makeOptionMandatory()), ...others]) adding.addOption(option);

  const settings = Object.values(settingOptions()).flat();
  const setting = verb('set', 'Changes settings of a partner. An omitted setting does not change.')
    .argument('<client-id>', 'its OAuth client', clientId)
    .action((id: string, values: DatabaseValues & PartnerSettings) => {
      const given = partnerOf(values);
      if (Object.keys(given).length === 0)
        throw new Failure(`set needs at least one of ${settings.map(({ long }) => long).join(', ')}`, 2);
      return run({ type: 'set', database: databaseOf(values), clientId: id, settings: given });
    });
  for (const option of settings) setting.addOption(option);

  verb('list', 'Lists the partners.').action((values: DatabaseValues) =>
    run({ type: 'list', database: databaseOf(values) }),
  );

  for (const [type, description, file] of FILES)
    verb(type, description)
      .argument('<file>', file, filePath)
      .action((path: string, values: DatabaseValues) =>
        run({ type, database: databaseOf(values), environment: values.env, file: path }),
      );

  verb('network', 'Sets whether anybody may check the passes of a gatekeeper network.')
    .argument('<key>', 'the gatekeeper network', gatekeeperNetwork)
    .addOption(new Option('--public-verify <on|off>', 'on: anybody may').choices(['on', 'off']).makeOptionMandatory())
    .action((key: string, values: DatabaseValues & { readonly publicVerify: 'on' | 'off' }) =>
      run({
        type: 'network',
        database: databaseOf(values),
        gatekeeperNetwork: key,
        isPublic: values.publicVerify === 'on',
      }),
    );

  for (const [type, description] of STATUSES)
    verb(type, description)
      .argument('<client-id>', 'its OAuth client', clientId)
      .action((id: string, values: DatabaseValues) => run({ type, database: databaseOf(values), clientId: id }));
  return program;
}

const FILES = [
  ['export', 'Writes all partners to a new file.', 'the new file'],
  ['import', 'Adds the partners of an exported file, and overwrites the ones that exist.', 'the exported file'],
] as const;
const STATUSES = [
  ['suspend', 'Refuses the requests of a partner.'],
  ['resume', 'Ends the suspension of a partner.'],
] as const;

function databaseOf(values: DatabaseValues): string[] {
  demandOneOf(values, 'local', 'remote');
  demandWith(values, 'state', 'local');
  demandWith(values, 'env', 'remote');
  const { local, state, env } = values;
  if (!local) return ['--remote', ...(env === undefined ? [] : ['--env', env])];
  return ['--local', ...(state === undefined ? [] : ['--persist-to', storageFolderOf(state)])];
}

/** Returns the values of the partner. */
function partnerOf<T extends DatabaseValues>({ local, remote, state, env, ...values }: T) {
  const entries = Object.entries(values).map(([name, value]) => [name, value === NONE ? null : value]);
  return Object.fromEntries(entries) as Omit<T, keyof DatabaseValues>;
}

/** Means null, which commander would replace by an empty text. */
const NONE = Symbol('none');

/** Returns a parser for which the word means that there is none. */
function orNone<T>(word: string, parse: (text: string) => T): (text: string) => T | typeof NONE {
  return (text) => (text === word ? NONE : parse(text));
}

/** A client id that no token can contain is refused, because that partner could never call the API. */
function clientId(text: string): string {
  if (!CLIENT_ID.test(visibleText(text)))
    throw new InvalidArgumentError('It must be printable ASCII of at most 256 characters.');
  return text;
}

function visibleText(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  if (!isVisibleText(text)) throw new InvalidArgumentError(`It ${VISIBLE_TEXT_RULE}.`);
  return text;
}

/** Returns the organization as the authorization server writes it. */
function organization(text: string): string {
  if (visibleText(text) !== text.trim() || text.length > PERSON_CLAIM_MAX_CHARS)
    throw new InvalidArgumentError(
      `It must have at most ${PERSON_CLAIM_MAX_CHARS} characters, and no space at its ends.`,
    );
  return text;
}

/** Returns the contracts with the one of a further option. */
function addContract(text: string, others: Contracts = {}): Contracts {
  const [name = '', address, ...rest] = text.split('=');
  if (address === undefined || rest.length > 0) throw new InvalidArgumentError('It must be NETWORK=ADDRESS.');
  const contract = contractAddress(address);
  if (findNetwork(NETWORKS, 'ethereum', networkName(name)) === undefined)
    throw new InvalidArgumentError(
      `Passes on ${name} have no contract of their own: it is the program of the network.`,
    );
  if (others[name] !== undefined && others[name] !== contract)
    throw new InvalidArgumentError(`It names two contracts on ${name}.`);
  return { ...others, [name]: contract };
}

const networkNames = (list: string): string[] => [...new Set(list.split(',').map((name) => networkName(name.trim())))];
