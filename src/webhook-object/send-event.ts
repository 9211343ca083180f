import type { Config } from '../config/config.ts';
import { isPublicName } from '../config/validate-deployment.ts';
import { DAY_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { abortAfter } from '../lib/with-timeout.ts';

/** The outcome of one attempt to deliver an event. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** HTTP status; undefined: there was no response. */
  readonly status?: number | undefined;
  readonly durationMs: Milliseconds;
  /** Why there was no response. */
  readonly error?: string | undefined;
  /** The delay that the receiver asks for. */
  readonly retryAfterMs: Milliseconds;
}

const RESPONSE_TIMEOUT_MS = 15_000;

/**
 * Posts an event, signed with each secret. A status of 2xx within 15 s is a success. Redirects are not followed, and the body of
 * the response is not read.
 */
export async function sendEvent(
  url: string,
  { id, body }: { readonly id: string; readonly body: string },
  secrets: readonly string[],
): Promise<Attempt> {
  const startedAt = Date.now();
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'Gatepass-Webhooks/1',
    ...(await signatureHeaders(id, body, secrets, startedAt)),
  };
  try {
    const response = await abortAfter(RESPONSE_TIMEOUT_MS, async (signal) => {
      const answer = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await answer.body?.cancel();
      return answer;
    });
    const { status } = response;
    const now = Date.now();
    const retryAfterMs = retryAfterMsOf(response.headers.get('retry-after'), now);
    return { isDelivered: response.ok, status, durationMs: now - startedAt, retryAfterMs };
  } catch (fault) {
    return { isDelivered: false, durationMs: Date.now() - startedAt, error: describe(fault), retryAfterMs: 0 };
  }
}

const RETRY_AFTER_MAX_MS = DAY_MS;

/** Returns the delay in `Retry-After`, in seconds or as a date (RFC 9110 §10.2.3), at most a day; 0 if there is none. */
export function retryAfterMsOf(header: string | null, now: Milliseconds): Milliseconds {
  if (header === null) return 0;
  const ms = /^\d+$/.test(header.trim()) ? Number(header) * SECOND_MS : Date.parse(header) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), RETRY_AFTER_MAX_MS);
}

/** The texts of network errors may name internals of the platform, so a partner sees only whether time ran out. */
function describe(fault: unknown): string {
  const isLate = fault instanceof Error && fault.name === 'TimeoutError';
  return isLate ? `no response within ${RESPONSE_TIMEOUT_MS / 1000} s` : 'no connection, or it broke';
}

/** Standard Webhooks 1.0: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Returns a new secret: `whsec_` and base64 of 32 random bytes. */
export function newSecret(): string {
  return PREFIX + toBase64(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
}

/** Returns the headers that sign a delivery, with one signature per secret. */
export async function signatureHeaders(
  id: string,
  body: string,
  secrets: readonly string[],
  now: Milliseconds,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const signatures = await Promise.all(secrets.map((secret) => sign(secret, signed)));
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

async function sign(secret: string, signed: Uint8Array): Promise<string> {
  const bytes = Uint8Array.from(atob(secret.slice(PREFIX.length)), (char) => char.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  return `v1,${toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, signed)))}`;
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

/** Services whose names resolve to the address in the name, to loopback, or to changing addresses. No list of them is complete. */
const WILDCARD_SUFFIXES = [
  ...['nip.io', 'sslip.io', 'xip.io', 'ip.addr.tools', 'local-ip.co', 'localdev.me', 'localhost.direct'],
  ...['localtest.me', 'lvh.me', 'vcap.me', 'lacolhost.com', 'traefik.me', '1u.ms', 'rbndr.us'],
];

/** The plain spelling of a URL. Parsers disagree about backslashes, spaces, missing slashes and an empty user. */
const PLAIN_URL = /^https?:\/\/[^@/?\\\s\p{Cc}]+([/?][^\\\s\p{Cc}]*)?$/iu;

/** A host name as DNS has it: no empty label, and no final dot. */
const HOST_NAME = /^([a-z\d_]([a-z\d_-]*[a-z\d_])?\.)+[a-z][a-z\d-]*[a-z\d]$/;

/** Returns why a webhook must not have the URL, as the end of a sentence that begins with "the URL"; undefined: it may. Pure. */
export function refusalOfTarget(text: string, config: Config): string | undefined {
  const url = URL.parse(text);
  if (url === null) return 'must be a URL';
  const { protocol, hostname, port } = url;
  const isLocal = config.local && isLoopback(hostname);
  if (protocol !== 'https:' && !(isLocal && protocol === 'http:')) return 'must begin with https:';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (text.includes('#')) return 'must not have a fragment';
  if (!PLAIN_URL.test(text)) return 'must have the form https://host/path, without spaces and backslashes';
  if (isLocal) return undefined;
  if (port !== '') return 'must have no port, or port 443';
  if (/^\[|^[\d.]+$/.test(hostname)) return 'must have a host name, not an address';
  const isPublic = HOST_NAME.test(hostname) && isPublicName(hostname);
  if (!isPublic || WILDCARD_SUFFIXES.some((suffix) => isWithin(hostname, suffix)))
    return 'must have a public host name';
  const own = config.publicHosts.some((host) => isWithin(hostname, host)) || hostsOf(config).has(hostname);
  return own ? 'must not belong to this service or to one that it uses' : undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

function isWithin(hostname: string, suffix: string): boolean {
  return hostname === suffix || hostname.endsWith(`.${suffix}`);
}

/** Returns the hosts of this deployment: its own, those of its issuers, and those of its RPC endpoints. */
function hostsOf({ origin, tokens, tokenUrl, admin, rpc }: Config): ReadonlySet<string> {
  const urls = [
    ...[origin, tokenUrl, tokens.issuer, tokens.jwksUrl, admin?.issuer, admin?.jwksUrl, admin?.tokenUrl],
    ...Object.values(rpc).flatMap((endpoints) => endpoints.map((endpoint) => endpoint())),
  ];
  // The configuration may name a host with a final dot, which a webhook may not.
  return new Set(urls.flatMap((url) => URL.parse(url ?? '')?.hostname.replace(/\.$/, '') ?? []));
}
