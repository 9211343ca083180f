import { waitUntil } from 'cloudflare:workers';
import type { Config } from '../../config/config.ts';
import { signerNameOf, signersOn } from '../../config/signers.ts';
import { FreshValue } from '../../lib/fresh-value.ts';
import { SECOND_MS } from '../../lib/units.ts';
import { callObject } from '../../message/call-object.ts';
import { keySetAt } from '../access/authorize.ts';
import { type FieldError, refuse } from '../protocol/problem.ts';
import { reply } from '../protocol/reply.ts';
import type { PublicContext, PublicRoute } from '../route.ts';

const health: PublicRoute = {
  operationId: 'getHealth',
  method: 'GET',
  path: '/health',
  scope: 'public',
  // The router exists, so the configuration is valid.
  handle: () => reply(200, '{"status":"ok","checks":["configuration"]}'),
};

/** Nobody can make the service ask more often, and a part that returns shows soon. */
const READINESS_FRESH_MS = 5 * SECOND_MS;
const SIGNER_TIMEOUT_MS = 2 * SECOND_MS;

type Parts = Pick<PublicContext, 'config' | 'store' | 'signerObject'>;

/** Checks by name. Each returns whether its part answers, never throws, and ends within about two seconds. */
const CHECKS: Readonly<Record<string, (parts: Parts) => Promise<boolean>>> = {
  databases: async ({ store }) => (await store.findUnread()).length === 0,
  // If no key serves, every token is refused.
  issuerKeys: ({ config: { tokens } }) =>
    keySetAt(tokens.jwksUrl)
      .serves(tokens.algorithms)
      .catch(() => false),
  signer: async ({ config, signerObject }) => {
    const [enabled] = config.networks.flatMap((network) => signersOn(config, network));
    if (enabled === undefined) return false;
    const name = signerNameOf(enabled);
    const begun = async () => {
      await signerObject(name).begin();
      return true;
    };
    return (await callObject(begun, 'signer', name, SIGNER_TIMEOUT_MS)) ?? false;
  },
};

/** Returns the checks that failed. */
async function failuresOf(parts: Parts): Promise<readonly FieldError[]> {
  const failed = await Promise.all(
    Object.entries(CHECKS).map(async ([name, works]) =>
      (await works(parts)) ? [] : { pointer: `/${name}`, detail: 'does not answer' },
    ),
  );
  return failed.flat();
}

/** The last result of each configuration. */
const results = new WeakMap<Config, FreshValue<readonly FieldError[]>>();

const READY = JSON.stringify({ status: 'ready', checks: Object.keys(CHECKS) });

const readiness: PublicRoute = {
  operationId: 'getReadiness',
  method: 'GET',
  path: '/health/ready',
  scope: 'public',
  async handle(parts) {
    const known =
      results.get(parts.config) ?? new FreshValue<readonly FieldError[]>({ freshMs: READINESS_FRESH_MS }, waitUntil);
    results.set(parts.config, known);
    const errors = await known.get(() => failuresOf(parts));
    if (errors.length === 0) return reply(200, READY);
    const headers = { 'retry-after': String(READINESS_FRESH_MS / SECOND_MS) };
    return refuse('temporarily_unavailable', { detail: NOT_READY, errors, headers });
  },
};

const NOT_READY = 'The service is not ready: "errors" lists the checks that failed. The others succeeded.';

export const healthRoutes = [health, readiness];
