import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { PROJECT } from '../../terminal/wrangler.ts';
import { GATEKEEPER_KEYS } from '../localnet/ethereum/gatekeepers.ts';
import { AUDIENCE } from '../localnet/oauth/partners.ts';
import { type OAuthServer, startOAuthServer } from '../localnet/oauth/server.ts';
import { type Built, build } from './build.ts';
import { migrate, seedDatabase } from './database.ts';
import { NEIGHBOR, PARTNER, type SeededPass, seedFloor, seedNormalized, seedService } from './dataset.ts';
import type { Loaded, Request } from './load.ts';
import type { BenchContext } from './measure.ts';
import { type Server, type ServerOptions, startServer } from './runtime.ts';

/** The service, and its peers. */
export const NAMES = ['ours', 'floor', 'mainstream'] as const;
export type Name = (typeof NAMES)[number];

const PEERS = join('tools', 'bench', 'peers');

/** How a Worker is built, and how its database is filled. */
export interface ContenderKind {
  /** The folder of its project, by default this one. */
  readonly project?: string;
  readonly config: string;
  readonly tables: (db: DatabaseSync) => void;
  readonly seed: (db: DatabaseSync, passes: Iterable<SeededPass>) => void;
}

export const WORKERS: Readonly<Record<Name, ContenderKind>> = {
  ours: { config: 'wrangler.toml', tables: migrate, seed: seedService },
  floor: { config: join(PEERS, 'floor', 'wrangler.toml'), tables: floorTables, seed: seedFloor },
  mainstream: { config: join(PEERS, 'mainstream', 'wrangler.toml'), tables: normalizedTables, seed: seedNormalized },
};

function floorTables(db: DatabaseSync): void {
  db.exec(readFileSync(join(PROJECT, PEERS, 'floor', 'schema.sql'), 'utf8'));
}

function normalizedTables(db: DatabaseSync): void {
  db.exec(readFileSync(join(PROJECT, PEERS, 'mainstream', 'schema.sql'), 'utf8'));
  const { clientId, name, gatekeeperNetwork } = PARTNER;
  db.prepare("INSERT INTO partners VALUES (?, ?, ?, 'active')").run(clientId, name, gatekeeperNetwork);
}

/** Delays messages, because another measure covers the work after an accepted issuance. */
const HOUR = 3600;
/** As in `deployments/example.toml`. */
const LOG_SUCCESSES = '0.05';

export interface Contenders<Asked extends string = Name> {
  readonly names: readonly Asked[];
  /** Headers of the partner's requests. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers of the requests of another partner with the same database. */
  readonly neighborHeaders: Readonly<Record<string, string>>;
  /**
   * Starts one contender on its own database with these passes and other initial rows. It ends with the measure, or when its
   * caller stops it.
   */
  start(name: Asked, passes: Iterable<SeededPass>, before?: (db: DatabaseSync) => void): Promise<Contender>;
}

export interface Contender extends Server {
  /** Its settings, for another Worker on the same database. */
  readonly options: ServerOptions;
}

/** Builds the service and its peers, and fetches a token for them. */
export const prepareContenders = (context: BenchContext): Promise<Contenders> => prepareKinds(context, WORKERS);

/** Does the same for Workers of these kinds. */
export async function prepareKinds<Asked extends string>(
  { folder, atEnd }: BenchContext,
  kinds: Readonly<Record<Asked, ContenderKind>>,
): Promise<Contenders<Asked>> {
  const names = Object.keys(kinds) as Asked[];
  const oauth = await startOAuthServer();
  atEnd(oauth.stop);
  const builds = names.map(async (name) => {
    const { config, project } = kinds[name];
    const built = await build({ config, folder: join(folder, name), ...(project !== undefined && { project }) });
    return [name, built] as const;
  });
  const built = Object.fromEntries(await Promise.all(builds)) as Record<Asked, Built>;
  const headersOf = async (partner: typeof PARTNER) => ({
    authorization: `Bearer ${await tokenOf(oauth, partner)}`,
    'content-type': 'application/json',
  });
  const [headers, neighborHeaders] = await Promise.all([headersOf(PARTNER), headersOf(NEIGHBOR)]);
  const variables = variablesFor(oauth);
  let started = 0;
  return {
    names,
    headers,
    neighborHeaders,
    async start(name, passes, before) {
      const state = join(folder, `${name}-${started++}`);
      mkdirSync(state);
      const options = { built: built[name], folder: state, variables, deliveryDelay: HOUR };
      const { tables, seed } = kinds[name];
      await seedDatabase(options, (db) => {
        tables(db);
        before?.(db);
        seed(db, passes);
      });
      const server = await startServer(options);
      let stopped: Promise<void> | undefined;
      const stop = () => {
        stopped ??= server.stop();
        return stopped;
      };
      atEnd(stop);
      return { ...server, stop, options };
    },
  };
}

/** Starts all with the same passes, one after another, so that each can find its own process. */
export async function startAll<Asked extends string>(
  { names, start }: Contenders<Asked>,
  seeded: readonly SeededPass[],
): Promise<Record<Asked, Contender>> {
  const started: [Asked, Contender][] = [];
  for (const name of names) started.push([name, await start(name, seeded)]);
  return Object.fromEntries(started) as Record<Asked, Contender>;
}

/** The same requests for all. */
export function loadOn<Asked extends string>(
  servers: Readonly<Record<Asked, Contender>>,
  requests: readonly Request[],
): Record<Asked, Loaded> {
  const loaded = Object.entries<Contender>(servers).map(([name, server]) => [name, { server, requests }]);
  return Object.fromEntries(loaded);
}

/** Each contender reads the variables that it knows. */
function variablesFor({ issuer, jwksUrl }: OAuthServer): Record<string, string> {
  return {
    DEPLOYMENT: 'local',
    TOKEN_ISSUER: issuer,
    TOKEN_AUDIENCE: AUDIENCE,
    JWKS_URL: jwksUrl,
    GATEKEEPER_NETWORK: PARTNER.gatekeeperNetwork,
    ETHEREUM_GATEKEEPER_KEY: GATEKEEPER_KEYS.slice(0, 1).join(' '),
    // Enabled, so that issuing is accepted. No work reaches the endpoint.
    RPC_ENDPOINTS: JSON.stringify({ sepolia: ['http://127.0.0.1:9'] }),
    LOG_SUCCESSES,
  };
}

async function tokenOf({ tokenUrl }: OAuthServer, { clientId, clientSecret }: typeof PARTNER): Promise<string> {
  const response = await fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
}
