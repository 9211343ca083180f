import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Failure } from '../../scripts/failure.ts';
import { storageFolderOf } from '../../scripts/wrangler.ts';
import { CLIENT_ID, PERSON_CLAIM_MAX_CHARS } from '../../src/config/client-id.ts';
import { isShardName } from '../../src/config/shard-name.ts';
import { isVisibleText, VISIBLE_TEXT_RULE } from '../../src/lib/visible-text.ts';
import { NETWORKS } from '../../src/network/networks.ts';
import { isGatekeeperNetwork } from '../../src/network/slot.ts';
import type { PartnerRow, PartnerSettings } from './sql.ts';

export const USAGE = `Usage: npm run partner -- COMMAND (--local [--state DIR] | --remote [--env NAME])
  add --client-id ID --name NAME --gatekeeper-network KEY [--shard NAME]
      --networks LIST --daily-issuances N --daily-changes N [--lifetime SECONDS]
      [--organization ID]
  set CLIENT_ID SETTINGS
  list
  suspend CLIENT_ID
  resume CLIENT_ID
  export FILE                 writes all partners to a new file
  network KEY --public-verify on|off
                              whether anybody may check the passes of the gatekeeper network
  import FILE                 adds the partners of an exported file, and overwrites the ones that exist
With --local, stop the Worker first.
--shard NAME is the binding of the database for the partner's passes, for example DB_1. Without --shard, they go to the
shard that already holds passes of the gatekeeper network, or to DB if there is none.
SETTINGS are one or more of these options. An omitted setting does not change:
  --networks sepolia,baseSepolia|unlimited   where it may issue passes
  --daily-issuances N|unlimited              how many passes it may issue per day (UTC)
  --daily-changes N|unlimited                how many changes it may request per day (UTC); revoking is always possible
  --lifetime SECONDS|unlimited               how long its new passes are valid by default
  --organization ID|none                     whose members may sign in to the console for it`;

/** The operator must name every limit of a new partner. This word says that there is none. */
const UNLIMITED = 'unlimited';
const NO_ORGANIZATION = 'none';

/** A parsed command, with the arguments that select the database in wrangler. */
export type PartnerCommand = { readonly database: readonly string[] } & (
  | { readonly type: 'add'; readonly partner: PartnerRow; readonly environment?: string | undefined }
  | { readonly type: 'set'; readonly clientId: string; readonly settings: PartnerSettings }
  | { readonly type: 'list' }
  | { readonly type: 'export' | 'import'; readonly file: string; readonly environment?: string | undefined }
  | { readonly type: 'network'; readonly gatekeeperNetwork: string; readonly isPublic: boolean }
  | { readonly type: 'suspend' | 'resume'; readonly clientId: string }
);

const FLAGS = {
  local: { type: 'boolean' },
  remote: { type: 'boolean' },
  state: { type: 'string' },
  env: { type: 'string' },
} as const;
const SETTINGS = {
  networks: { type: 'string' },
  lifetime: { type: 'string' },
  'daily-issuances': { type: 'string' },
  'daily-changes': { type: 'string' },
  organization: { type: 'string' },
} as const;
const OF_ADD = {
  'client-id': { type: 'string' },
  name: { type: 'string' },
  'gatekeeper-network': { type: 'string' },
  shard: { type: 'string' },
  ...SETTINGS,
} as const;

/** Returns the parsed command line. Throws on any invalid argument, so that nothing is written before all is checked. */
export function parsePartnerCommand([command, ...args]: readonly string[]): PartnerCommand {
  switch (command) {
    case 'add': {
      const { values } = parseArgs({ args, options: { ...FLAGS, ...OF_ADD } });
      const database = parseDatabase(values);
      return { type: command, database, environment: values.env, partner: parsePartnerRow(values) };
    }
    case 'set': {
      const { values, positionals } = parseArgs({ args, options: { ...FLAGS, ...SETTINGS }, allowPositionals: true });
      const settings = parseSettings(values);
      if (Object.keys(settings).length === 0)
        throw new Failure(
          `set needs at least one of ${Object.keys(SETTINGS)
            .map((name) => `--${name}`)
            .join(', ')}`,
          2,
        );
      return {
        type: command,
        database: parseDatabase(values),
        clientId: parseOnlyClientId(command, positionals),
        settings,
      };
    }
    case 'list': {
      const { values } = parseArgs({ args, options: FLAGS });
      return { type: command, database: parseDatabase(values) };
    }
    case 'export':
    case 'import': {
      const { values, positionals } = parseArgs({ args, options: FLAGS, allowPositionals: true });
      const [file, ...others] = positionals;
      if (file === undefined || others.length > 0) throw new Failure(`${command} takes one FILE`, 2);
      return { type: command, database: parseDatabase(values), environment: values.env, file: resolve(file) };
    }
    case 'network': {
      const options = { ...FLAGS, 'public-verify': { type: 'string' } } as const;
      const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
      const [key, ...others] = positionals;
      if (key === undefined || others.length > 0) throw new Failure('network takes one KEY', 2);
      const { 'public-verify': publicVerify } = values;
      if (publicVerify !== 'on' && publicVerify !== 'off') throw new Failure('--public-verify must be on or off', 2);
      return {
        type: command,
        database: parseDatabase(values),
        gatekeeperNetwork: parseGatekeeperNetwork('KEY', key),
        isPublic: publicVerify === 'on',
      };
    }
    case 'suspend':
    case 'resume': {
      const { values, positionals } = parseArgs({ args, options: FLAGS, allowPositionals: true });
      return { type: command, database: parseDatabase(values), clientId: parseOnlyClientId(command, positionals) };
    }
    default:
      throw new Failure(USAGE, 2);
  }
}

interface Database {
  readonly local?: boolean;
  readonly remote?: boolean;
  readonly state?: string;
  readonly env?: string;
}

function parseDatabase({ local, remote, state, env }: Database): string[] {
  if (local === remote) throw new Failure('name the database with either --local or --remote', 2);
  if (remote && state !== undefined) throw new Failure('--state requires --local', 2);
  if (local && env !== undefined) throw new Failure('--env requires --remote', 2);
  if (remote) return ['--remote', ...(env === undefined ? [] : ['--env', env])];
  if (state?.trim() === '') throw new Failure('--state must name a folder', 2);
  return ['--local', ...(state === undefined ? [] : ['--persist-to', storageFolderOf(resolve(state))])];
}

function parseOnlyClientId(command: string, positionals: readonly string[]): string {
  if (positionals.length !== 1) throw new Failure(`${command} takes one CLIENT_ID`, 2);
  return parseClientId('CLIENT_ID', positionals[0]);
}

/** Returns the id. A client id that no token can contain is refused, because that partner could never call the API. */
function parseClientId(option: string, value: string | undefined): string {
  const id = parseText(option, value);
  if (!CLIENT_ID.test(id)) throw new Failure(`${option} must be printable ASCII of at most 256 characters`, 2);
  return id;
}

function parseGatekeeperNetwork(option: string, value: string | undefined): string {
  const key = parseText(option, value);
  if (isGatekeeperNetwork(key)) return key;
  throw new Failure(`${option} must be a public key: 32 bytes in base58, of which the first 24 are not all zero`, 2);
}

function parsePartnerRow(values: { readonly [option in keyof typeof OF_ADD]?: string }): PartnerRow {
  const gatekeeperNetwork = parseGatekeeperNetwork('--gatekeeper-network', values['gatekeeper-network']);
  for (const option of ['networks', 'daily-issuances', 'daily-changes'] as const) {
    if (values[option] === undefined) throw new Failure(`--${option} is missing: give a value or "${UNLIMITED}"`, 2);
  }
  const { shard } = values;
  if (shard !== undefined && !isShardName(shard)) throw new Failure('--shard must be DB or like DB_1', 2);
  return {
    clientId: parseClientId('--client-id', values['client-id']),
    name: parseText('--name', values.name),
    gatekeeperNetwork,
    ...(shard === undefined ? {} : { shard }),
    ...parseSettings(values),
  };
}

function parseSettings(values: { readonly [option in keyof typeof SETTINGS]?: string }): PartnerSettings {
  const { networks, lifetime, 'daily-issuances': issuances, 'daily-changes': changes, organization } = values;
  return {
    ...(networks === undefined ? {} : { networks: networks === UNLIMITED ? null : parseNetworkNames(networks) }),
    ...(lifetime === undefined ? {} : { lifetime: lifetime === UNLIMITED ? null : parseSeconds(lifetime) }),
    ...(issuances === undefined ? {} : { dailyIssuances: parseDaily('--daily-issuances', issuances) }),
    ...(changes === undefined ? {} : { dailyChanges: parseDaily('--daily-changes', changes) }),
    ...(organization === undefined ? {} : { organization: parseOrganization(organization) }),
  };
}

function parseText(option: string, value: string | undefined): string {
  if (value === undefined || value.trim() === '') throw new Failure(`${option} is missing`, 2);
  if (!isVisibleText(value)) throw new Failure(`${option} ${VISIBLE_TEXT_RULE}`, 2);
  return value;
}

/** Returns the organization as the authorization server writes it, or null if nobody may sign in for the partner. */
function parseOrganization(value: string): string | null {
  if (value === NO_ORGANIZATION) return null;
  const organization = parseText('--organization', value);
  if (organization !== organization.trim() || organization.length > PERSON_CLAIM_MAX_CHARS)
    throw new Failure(
      `--organization must have at most ${PERSON_CLAIM_MAX_CHARS} characters, and no space at its ends`,
      2,
    );
  return organization;
}

function parseNetworkNames(list: string): string[] {
  const known = new Set(NETWORKS.map(({ network }) => network));
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  for (const name of names) {
    if (!known.has(name)) throw new Failure(`--networks: "${name}" is not one of ${[...known].join(', ')}`, 2);
  }
  return names;
}

const HUNDRED_YEARS_SECONDS = 100 * 365 * 24 * 3600;

function parseSeconds(value: string): number {
  const lifetime = parseWhole(value);
  if (lifetime === undefined || lifetime < 1 || lifetime > HUNDRED_YEARS_SECONDS) {
    throw new Failure(
      `--lifetime must be a whole number of seconds from 1 to ${HUNDRED_YEARS_SECONDS} (a hundred years)`,
      2,
    );
  }
  return lifetime;
}

/** Maximum quota. One object counts a day's issuances and changes, and stores about 150 bytes for each of them. */
const DAILY_MAX = 5_000_000;

/** Returns the quota per UTC day, or null for no quota. */
function parseDaily(option: string, value: string): number | null {
  if (value === UNLIMITED) return null;
  const daily = parseWhole(value);
  if (daily === undefined || daily > DAILY_MAX) {
    throw new Failure(`${option} must be a whole number from 0 (none at all) to ${DAILY_MAX}, or "${UNLIMITED}"`, 2);
  }
  return daily;
}

function parseWhole(value: string): number | undefined {
  return /^\d+$/.test(value) ? Number(value) : undefined;
}
