import { waitUntil } from 'cloudflare:workers';
import { type Actor, type AuditEntry, hashOf } from '../../audit/entry.ts';
import { SECOND_MS } from '../../lib/time.ts';
import { within, withTimeout } from '../../lib/with-timeout.ts';
import { logFault } from '../../log/log.ts';
import type { Backend } from '../../operations/backend.ts';

/** A request of a person with a valid token. */
interface PersonsRequest {
  readonly actor: Actor;
  readonly authorization: string | null;
  readonly requestId: string;
  /** Name of the trail: the operator's, or the gatekeeper network of the person. */
  readonly trail: string;
}

/** A request waits no longer for the entry of its sign-in. */
const WAIT_MAX_MS = SECOND_MS;
/** Shorter than the usual limit of a trail: all tries must end within the 30 s that the platform grants after a response. */
const APPEND_TIMEOUT_MS = 5 * SECOND_MS;
const TRIES = 3;
const KNOWN_MAX_TOKENS = 10_000;

/** Hashes of the tokens whose sign-in a trail has. */
const knownTokens = new Set<string>();

/**
 * Records the sign-in of a person: the first request with a token. The Worker sees no other sign of it. If the trail does not answer, the
 * next request with the token tries again.
 */
export async function recordSignIn(
  { actor, authorization, requestId, trail: name }: PersonsRequest,
  auditTrail: Backend['auditTrail'],
): Promise<void> {
  const token = hashOf((authorization ?? '').replace(/^Bearer +/i, '').trim());
  if (knownTokens.has(token)) return;
  const entry: AuditEntry = {
    key: `sign-in/${token}`,
    at: new Date().toISOString(),
    action: 'console.sign_in',
    actor,
    requestId,
    target: {},
    outcome: { type: 'done' },
  };
  const recording = appendAgain(auditTrail(name), entry, TRIES)
    .then(() => {
      if (knownTokens.size >= KNOWN_MAX_TOKENS) knownTokens.clear();
      knownTokens.add(token);
    })
    .catch((fault) => logFault('audit.unavailable', fault, { sub: actor.sub }));
  waitUntil(recording);
  await withTimeout(WAIT_MAX_MS, recording, undefined);
}

async function appendAgain(trail: ReturnType<Backend['auditTrail']>, entry: AuditEntry, tries: number): Promise<void> {
  try {
    await within(APPEND_TIMEOUT_MS, trail.append([entry]), 'the audit trail');
  } catch (fault) {
    if (tries === 1) throw fault;
    await scheduler.wait(SECOND_MS);
    await appendAgain(trail, entry, tries - 1);
  }
}
