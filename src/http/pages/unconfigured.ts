import { isPublicName } from '../../config/validate-deployment.ts';
import { logFault } from '../../log/log.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import type { Reply } from '../protocol/reply.ts';

/** The answers of `wrangler dev` in a clone, where nothing is configured: `npm run dev` starts the service with a localnet. */

const REMEDY =
  'The service is not configured. Stop wrangler and run `npm run dev`: it starts the service with a localnet.';

/**
 * Returns the answer of a Worker without any configuration on a developer's machine: a page for browsers, a problem for others.
 * Undefined: the Worker is deployed, or somebody has begun to configure it. Then the fault counts.
 */
export function answerUnconfigured(
  { url, headers }: Request,
  env: object,
  fault: unknown,
  request_id: string,
): Reply | Refusal | undefined {
  const { TOKEN_ISSUER, TOKEN_AUDIENCE, JWKS_URL } = env as Readonly<Record<string, unknown>>;
  // The platform routes requests by their host, so a deployed Worker never gets one for a local name.
  if (TOKEN_ISSUER || TOKEN_AUDIENCE || JWKS_URL || isPublicName(new URL(url).hostname)) return undefined;
  const missing = fault instanceof Error ? fault.message : '';
  logFault('request.failed', `${REMEDY} Otherwise: ${missing}`, { request_id });
  if (!headers.get('accept')?.includes('text/html'))
    return refuse('internal_error', { detail: `${REMEDY} Otherwise: ${missing}.` });
  const body = `<!doctype html><html lang="en"><title>Gatepass: not configured</title><h1>Not configured</h1><p>${REMEDY}</p><p>Otherwise: ${missing.replaceAll('<', '&lt;')}.</p></html>`;
  return { status: 500, body, headers: PAGE };
}

const PAGE = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};
