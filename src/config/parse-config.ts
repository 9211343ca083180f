import * as v from 'valibot';
import type { Config } from './config.ts';
import { parseConsoleClients } from './console-clients.ts';
import { parseDatabaseMaxBytes } from './database-limit.ts';
import { parseFeedSettings } from './feed-settings.ts';
import { parseGatekeepers } from './gatekeeper.ts';
import { parseLogSuccesses } from './log-successes.ts';
import { parseNetworks } from './network-overrides.ts';
import { parseCorsOrigins, parsePublicOrigin } from './origins.ts';
import { parseRequestBounds } from './request-bounds.ts';
import { parseRpcEndpoints } from './rpc-endpoints.ts';
import { parseAdminRules, parseTokenRules } from './token-rules.ts';
import { validateDeployment } from './validate-deployment.ts';
import { OptionalUrl, parseVariable } from './variable.ts';

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
const BasePath = v.optional(
  v.pipe(v.string(), v.regex(/^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/, 'must be empty or like "/partner"')),
  '',
);

function parseConfig(env: Record<string, unknown>): Config {
  const local = parseVariable(env, 'DEPLOYMENT', Deployment) === 'local';
  const basePath = parseVariable(env, 'BASE_PATH', BasePath);
  const tokens = parseTokenRules(env);
  const admin = parseAdminRules(env, tokens);
  const rpc = parseRpcEndpoints(env);
  const config = {
    local,
    origin: parsePublicOrigin(env),
    basePath,
    tokens,
    tokenUrl: parseVariable(env, 'TOKEN_URL', OptionalUrl) || undefined,
    admin,
    console: parseConsoleClients(env, tokens, admin),
    ...parseNetworks(env),
    gatekeepers: parseGatekeepers(env, rpc),
    rpc,
    corsOrigins: parseCorsOrigins(env),
    logSuccesses: parseLogSuccesses(env),
    ...parseRequestBounds(env),
    databaseMaxBytes: parseDatabaseMaxBytes(env),
    ...parseFeedSettings(env),
  };
  if (!local) validateDeployment(config);
  return config;
}
