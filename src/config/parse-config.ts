import * as v from 'valibot';
import { parseDatabaseMaxBytes } from './bindings.ts';
import type { Config } from './config.ts';
import { demandOwnKey, parseGatekeepers, parseVerdictKeys } from './gatekeeper.ts';
import { parseKmsCredentials } from './kms.ts';
import { parseNetworks, parseRpcEndpoints } from './network-settings.ts';
import { CLIENT_ID, parseAdminRules, parseConsoleClients, parseSecondPerson, parseTokenRules } from './token-rules.ts';
import { validateDeployment } from './validate-deployment.ts';
import { ConfigError, listOf, OptionalUrl, parseAll, parseNumber, parseVariable } from './variable.ts';

const parsed = new WeakMap<object, Config>();

/**
 * Returns the configuration of an environment, parsed at the first call.
 * Throws ConfigError, which names the variable and never its value.
 */
export function configOf(env: object): Config {
  let config = parsed.get(env);
  if (config === undefined) {
    config = parseConfig(env as Record<string, unknown>);
    parsed.set(env, config);
  }
  return config;
}

/** The default is the strict `production`, so that a forgotten variable opens nothing. */
const Deployment = v.optional(
  v.picklist(['local', 'staging', 'production', ''], 'must be local, staging or production'),
  'production',
);
const Commit = v.optional(v.string(), 'unknown');
const BasePath = v.optional(
  v.pipe(v.string(), v.regex(/^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/, 'must be empty or like "/partner"')),
  '',
);

/** Whether the text is an origin as browsers send it: no path, no `*`, no `null` (from sandboxed pages), no default port. */
function isOrigin(text: string): boolean {
  return /^https?:[^*]+$/.test(text) && URL.parse(text)?.origin === text;
}

const ORIGIN = 'must be an origin like https://api.acme.com';
const OptionalOrigin = v.pipe(
  v.optional(v.string(ORIGIN), ''),
  v.check((text) => text === '' || isOrigin(text), ORIGIN),
);
/** The origins of `CORS_ORIGINS`. */
export const Origins = listOf(isOrigin, 'must be origins like https://app.acme.com, separated by spaces');
const Hosts = v.pipe(
  listOf(
    (text) => /^[a-z\d-]+(\.[a-z\d-]+)*$/i.test(text),
    'must be host names separated by spaces, for example "www.acme.com status.acme.com"',
  ),
  v.transform((hosts) => hosts.map((host) => host.toLowerCase())),
);

const ClientIds = listOf((id) => CLIENT_ID.test(id), 'must be ids of OAuth clients, separated by spaces');

/** Enough to correct mistakes, but too few to waste money by changing one pass back and forth. */
const PASS_DAILY_CHANGES = 24;
/** The number of steps that a network of 12-second blocks signs in about an hour and a half. */
const CLIENT_MAX_WAITING = 3_000;
const FEED_DAYS = 30;
/** More than a year, so that an auditor who comes once a year finds the year before. */
const AUDIT_DAYS = 400;
const EXPIRY_NOTICE_DAYS = 7;

const SHARE = { minimum: 0, maximum: 1, rule: 'must be a share from 0 to 1, for example 0.05', isShare: true } as const;
const COUNT = { minimum: 1, maximum: 999_999_999, rule: 'must be a whole number of at least 1, for example 24' };
const DAYS = { minimum: 1, maximum: 999, rule: 'must be a whole number of days from 1 to 999' };
const AUDITED_DAYS = { minimum: 1, maximum: 9_999, rule: 'must be a whole number of days from 1 to 9999' };
const EMERGENCY = { minimum: 0, maximum: 999_999_999_999_999, rule: 'must be the number that `npm run emergency` set' };
const DAYS_OR_NEVER = { minimum: 0, maximum: 999, rule: 'must be a whole number of days from 0 to 999' };

function parseConfig(env: Record<string, unknown>): Config {
  const {
    networks: byNetwork,
    origin,
    ...parsed
  } = parseAll({
    commit: () => parseVariable(env, 'COMMIT', Commit),
    local: () => parseVariable(env, 'DEPLOYMENT', Deployment) === 'local',
    basePath: () => parseVariable(env, 'BASE_PATH', BasePath),
    tokens: () => parseTokenRules(env),
    // A deployment needs more, which the first error must name too.
    ...(env.DEPLOYMENT !== 'local' && requiredInDeployment(env)),
    rpc: () => parseRpcEndpoints(env),
    kms: () => parseKmsCredentials(env),
    origin: () => parseVariable(env, 'PUBLIC_ORIGIN', OptionalOrigin),
    tokenUrl: () => parseVariable(env, 'TOKEN_URL', OptionalUrl) || undefined,
    suspendedClients: () => parseVariable(env, 'SUSPENDED_CLIENTS', ClientIds),
    emergencyNumber: () => parseNumber(env, 'EMERGENCY_NUMBER', 0, EMERGENCY),
    networks: () => parseNetworks(env),
    corsOrigins: () => parseVariable(env, 'CORS_ORIGINS', Origins),
    publicHosts: () => parseVariable(env, 'PUBLIC_HOSTS', Hosts),
    logSuccesses: () => parseNumber(env, 'LOG_SUCCESSES', 1, SHARE),
    passDailyChanges: () => parseNumber(env, 'PASS_DAILY_CHANGES', PASS_DAILY_CHANGES, COUNT),
    clientMaxWaiting: () => parseNumber(env, 'CLIENT_MAX_WAITING', CLIENT_MAX_WAITING, COUNT),
    databaseMaxBytes: () => parseDatabaseMaxBytes(env),
    feedDays: () => parseNumber(env, 'FEED_DAYS', FEED_DAYS, DAYS),
    auditDays: () => parseNumber(env, 'AUDIT_DAYS', AUDIT_DAYS, AUDITED_DAYS),
    expiryNoticeDays: () => parseNumber(env, 'EXPIRY_NOTICE_DAYS', EXPIRY_NOTICE_DAYS, DAYS_OR_NEVER),
  });
  const { local, tokens, rpc, kms } = parsed;
  const { people, gatekeepers, verdictKeys } = parseAll({
    people: () => parsePeople(env, tokens),
    gatekeepers: () => parseGatekeepers(env, rpc, kms),
    verdictKeys: () => parseVerdictKeys(env, kms),
  });
  demandOwnKey(verdictKeys, gatekeepers);
  const config = { ...parsed, ...byNetwork, ...people, origin: origin || undefined, gatekeepers, verdictKeys };
  if (!local) validateDeployment(config);
  return config;
}

/** The operator, the console, and the actions that need a second person. */
function parsePeople(env: Record<string, unknown>, tokens: Config['tokens']) {
  const admin = parseAdminRules(env, tokens);
  const console = parseConsoleClients(env, tokens, admin);
  return { admin, console, secondPerson: parseSecondPerson(env, console) };
}

const demand = (variable: string, value: unknown, complaint: string) => () => {
  if (!value) throw new ConfigError(variable, complaint);
};

const requiredInDeployment = ({ ADMIN_AUDIENCE, PUBLIC_ORIGIN }: Record<string, unknown>) => ({
  // The operator registers partners with such tokens, so a deployment without them could serve nobody.
  operator: demand('ADMIN_AUDIENCE', ADMIN_AUDIENCE, "must be set: the audience of the operator's tokens"),
  // Without an origin, documents and challenges would name the host of the request, which anybody can forge.
  ownOrigin: demand('PUBLIC_ORIGIN', PUBLIC_ORIGIN, 'must be set'),
});
