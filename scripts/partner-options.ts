import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { NETWORKS } from '../src/network/networks.ts';
import { solanaAddress } from '../src/network/wallet.ts';
import { Failure } from './failure.ts';
import type { PartnerRow } from './partner-sql.ts';
import { storageIn } from './wrangler.ts';

export const USAGE = `Usage: npm run partner -- COMMAND (--local [--state DIR] | --remote [--env NAME])
  add --client-id ID --name NAME --gatekeeper-network KEY [--networks sepolia,baseSepolia] [--lifetime SECONDS]
  list
  suspend CLIENT_ID
  resume CLIENT_ID`;

/** What the operator asked for, and the arguments that lead wrangler to the database. */
export type PartnerCommand = { readonly database: readonly string[] } & (
  | { readonly command: 'add'; readonly partner: PartnerRow }
  | { readonly command: 'list' }
  | { readonly command: 'suspend' | 'resume'; readonly clientId: string }
);

const FLAGS = {
  local: { type: 'boolean' },
  remote: { type: 'boolean' },
  state: { type: 'string' },
  env: { type: 'string' },
} as const;
const OF_ADD = {
  'client-id': { type: 'string' },
  name: { type: 'string' },
  'gatekeeper-network': { type: 'string' },
  networks: { type: 'string' },
  lifetime: { type: 'string' },
} as const;

/** Reads a command line; everything is checked here, before anything is written. Throws on what is wrong with it. */
export function partnerCommand([command, ...args]: readonly string[]): PartnerCommand {
  switch (command) {
    case 'add': {
      const { values } = parseArgs({ args, options: { ...FLAGS, ...OF_ADD } });
      return { command, database: databaseArgs(values), partner: partnerRow(values) };
    }
    case 'list': {
      const { values } = parseArgs({ args, options: FLAGS });
      return { command, database: databaseArgs(values) };
    }
    case 'suspend':
    case 'resume': {
      const { values, positionals } = parseArgs({ args, options: FLAGS, allowPositionals: true });
      if (positionals.length !== 1) throw new Failure(`${command} takes one CLIENT_ID`, 2);
      return { command, database: databaseArgs(values), clientId: text('CLIENT_ID', positionals[0]) };
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

function databaseArgs({ local, remote, state, env }: Database): string[] {
  if (local === remote) throw new Failure('say which database: either --local or --remote', 2);
  if (remote && state !== undefined) throw new Failure('--state goes with --local', 2);
  if (local && env !== undefined) throw new Failure('--env goes with --remote', 2);
  if (remote) return ['--remote', ...(env === undefined ? [] : ['--env', env])];
  if (state?.trim() === '') throw new Failure('--state must name a folder', 2);
  return ['--local', ...(state === undefined ? [] : ['--persist-to', storageIn(resolve(state))])];
}

function partnerRow(values: { readonly [option in keyof typeof OF_ADD]?: string }): PartnerRow {
  const gatekeeperNetwork = text('--gatekeeper-network', values['gatekeeper-network']);
  if (solanaAddress(gatekeeperNetwork) === undefined) {
    throw new Failure('--gatekeeper-network must be a public key: 32 bytes in base58', 2);
  }
  return {
    clientId: text('--client-id', values['client-id']),
    name: text('--name', values.name),
    gatekeeperNetwork,
    ...(values.networks === undefined ? {} : { networks: networkNames(values.networks) }),
    ...(values.lifetime === undefined ? {} : { lifetime: seconds(values.lifetime) }),
  };
}

function text(option: string, value: string | undefined): string {
  if (value === undefined || value.trim() === '') throw new Failure(`${option} is missing`, 2);
  if (/\p{Cc}/u.test(value)) throw new Failure(`${option} must not hold control characters`, 2);
  return value;
}

function networkNames(list: string): string[] {
  const known = new Set(NETWORKS.map(({ network }) => network));
  const names = [...new Set(list.split(',').map((name) => name.trim()))];
  for (const name of names) {
    if (!known.has(name)) throw new Failure(`--networks: "${name}" is none of ${[...known].join(', ')}`, 2);
  }
  return names;
}

const HUNDRED_YEARS = 100 * 365 * 24 * 3600;

function seconds(value: string): number {
  const lifetime = /^\d+$/.test(value) ? Number(value) : 0;
  if (lifetime < 1 || lifetime > HUNDRED_YEARS) {
    throw new Failure(`--lifetime must be a whole number of seconds from 1 to ${HUNDRED_YEARS} (a hundred years)`, 2);
  }
  return lifetime;
}
