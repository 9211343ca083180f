import type { Secret } from '../lib/secret.ts';
import type { Network } from '../network/network.ts';
import type { Gatekeepers } from './gatekeeper.ts';

/** What the Worker runs with: every string of the environment, parsed once. */
export interface Config {
  /** It runs on the machine of a developer: what a deployment refuses is allowed. */
  readonly local: boolean;
  /** Scheme, host and port that callers use. Undefined on a developer's machine: those that a request names. */
  readonly origin?: string | undefined;
  readonly basePath: string;
  readonly tokens: TokenRules;
  /** Where partners get their tokens: shown to them, and never fetched from here. */
  readonly tokenUrl?: string | undefined;
  /** Which access tokens are the operator's; undefined: none, and what the operator asks for is not there. */
  readonly admin?: AdminRules | undefined;
  readonly networks: readonly Network[];
  /** Numbers of gatekeeper networks beside the built-in table. */
  readonly slots: Readonly<Record<string, bigint>>;
  readonly gatekeepers: Gatekeepers;
  /** URLs by network name, in order of preference; they may carry API keys. */
  readonly rpc: Readonly<Record<string, readonly Secret<string>[]>>;
  /** Pages that may call from a browser, as the header `Origin` names them. */
  readonly corsOrigins: readonly string[];
  /** The share, from 0 to 1, of what goes well that has its lines in the log. */
  readonly logSuccesses: number;
  /** How often partners may change one pass in a day (UTC); revoking is always possible. */
  readonly passDailyChanges: number;
  /** Unsigned steps that a client may have waiting on one network before further requests are refused. */
  readonly clientMaxWaiting: number;
  /** Maximum size of each database, in bytes. */
  readonly databaseMaxBytes: number;
}

export type Scope = 'search' | 'issue' | 'update';

/** Which access tokens are good, and what is read from them. */
export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly algorithms: readonly string[];
  /** Names of the claims that hold the client and the scopes. */
  readonly clientClaim: string;
  readonly scopeClaim: string;
  /** What the authorization server calls each scope. */
  readonly scopes: Readonly<Record<Scope, string>>;
}

/** The same for the operator: its issuer or its audience is another one, so that no partner's token is the operator's. */
export interface AdminRules extends Omit<TokenRules, 'scopes'> {
  readonly scope: string;
}
