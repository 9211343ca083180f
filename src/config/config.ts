import type { Secret } from '../lib/secret.ts';
import type { Network } from '../network/network.ts';
import type { Gatekeepers, VerdictKeys } from './gatekeeper.ts';
import type { KmsCredentials } from './kms.ts';

/** The configuration of the Worker: every string of the environment, parsed once. */
export interface Config {
  /** The commit of the code, which `npm run deploy` sets; `unknown` everywhere else. */
  readonly commit: string;
  /** Whether the Worker runs on a developer's machine, where settings that a deployment refuses are allowed. */
  readonly local: boolean;
  /** Scheme, host and port that partners use. Undefined on a developer's machine, where each request names its own. */
  readonly origin?: string | undefined;
  readonly basePath: string;
  readonly tokens: TokenRules;
  /** URL where partners get their tokens. The Worker shows it to them and never fetches it. */
  readonly tokenUrl?: string | undefined;
  /** Rules for the operator's access tokens. Undefined: no token is the operator's, and the admin routes do not exist. */
  readonly admin?: AdminRules | undefined;
  readonly console: ConsoleClients;
  readonly secondPerson: SecondPersonLimits;
  /** OAuth clients that are suspended whatever the database says, for a time in which it cannot be written. */
  readonly suspendedClients: readonly string[];
  /** The number of the last emergency, which only grows: Unix milliseconds of its command; 0: there was none. */
  readonly emergencyNumber: number;
  readonly networks: readonly Network[];
  /** Slot numbers of gatekeeper networks, in addition to the built-in table. */
  readonly slots: Readonly<Record<string, bigint>>;
  readonly gatekeepers: Gatekeepers;
  readonly kms: KmsCredentials;
  readonly verdictKeys: VerdictKeys;
  /** URLs of endpoints by network name, in order of preference. They may contain API keys. */
  readonly rpc: Readonly<Record<string, readonly Secret<string>[]>>;
  /** Origins of pages that may call the API from a browser, as in the header `Origin`. */
  readonly corsOrigins: readonly string[];
  /** The share, from 0 to 1, of successes that the Worker logs. */
  readonly logSuccesses: number;
  /** Maximum number of changes to one pass per day (UTC). Revoking is always possible. */
  readonly passDailyChanges: number;
  /** Maximum number of unsigned steps that may wait for one partner on one network. The Worker refuses further requests. */
  readonly clientMaxWaiting: number;
  /** Maximum size of each database, in bytes. */
  readonly databaseMaxBytes: number;
  /** Number of days for which the event feed keeps an event. */
  readonly feedDays: number;
  /** Number of days for which an audit trail keeps an entry. */
  readonly auditDays: number;
  /** Number of days before the expiry of a pass when the feed announces it; 0: never. */
  readonly expiryNoticeDays: number;
  /** Further host names of this deployment, in lower case. No webhook may have one of them. */
  readonly publicHosts: readonly string[];
}

/** The operator's rights: to read, to act on waiting work, to manage partners, and to read the metrics. */
export type AdminRight = 'read' | 'act' | 'partners' | 'metrics';

/** The name of each scope of partners in the template and in the documents. Its variable is SCOPE_SEARCH for `search`. */
export const PARTNER_SCOPES = {
  search: 'search:pass',
  issue: 'issue:pass',
  update: 'update:pass',
  webhook: 'webhook:manage',
  rules: 'manage:rules',
} as const;
export type TokenScope = keyof typeof PARTNER_SCOPES;

/** Rules that decide which access tokens the Worker accepts, and the claims that it reads from them. */
export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
  /** The claim and the value that a token without `aud` must have. Undefined: the Worker accepts no such token. */
  readonly binding?: { readonly claim: string; readonly value: string } | undefined;
  readonly jwksUrl: string;
  readonly algorithms: readonly string[];
  /** Names or paths of the claims that contain the client id and the scopes. */
  readonly clientClaim: string;
  readonly scopeClaim: string;
  /** The authorization server's name of each scope. */
  readonly scopes: Readonly<Record<TokenScope, string>>;
}

/** The OAuth clients of the console, which sign people in. An undefined one means that nobody of that kind can sign in. */
export interface ConsoleClients {
  /** `partnerClaim` is the claim with the organization of the person, which identifies the partner. */
  readonly staff: { readonly clientId: string; readonly partnerClaim: string } | undefined;
  readonly operator: { readonly clientId: string } | undefined;
}

/** Rules for the operator's tokens. Issuer or audience differ from the partners', so no partner's token is an operator's. */
export interface AdminRules extends Omit<TokenRules, 'scopes'> {
  /** The authorization server's name of the scope of each right. `admin` has all of them. */
  readonly scopes: Readonly<Record<AdminRight | 'admin', string>>;
  /** URL where operators get their tokens. The Worker never fetches it. */
  readonly tokenUrl?: string | undefined;
}

/** The actions that cannot be undone: withdrawals, abandoned issuances, revocations and accepted losses. */
export type SecondPersonAction = 'withdraw' | 'abandon' | 'revocations' | 'accept_losses';

/** The number of items per day of each action above which a second person must confirm. An absent action needs nobody. */
export type SecondPersonLimits = { readonly [action in SecondPersonAction]?: number | undefined };
