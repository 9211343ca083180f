import type { Finding, Signed, Terms } from '../chain/port.ts';
import { backoff } from '../lib/backoff.ts';
import { log } from '../log/log.ts';
import type { Step } from '../pass/step.ts';
import { nextWaiting, pauseLane, resumeLane } from './lanes.ts';
import * as ledger from './ledger.ts';
import { nextNonce, storeNextNonce } from './nonces.ts';
import { currentPause, pauseSigner, resumeSigner } from './pause.ts';
import type { Signer } from './signer.ts';

/** Steps that go through one look and one broadcast together. */
const BATCH = 100;
const PUT_OFF_MS = 2_000;
const LONGEST_PUT_OFF_MS = 60_000;

/**
 * Takes waiting steps as far as they go: look, sign, store, broadcast. Only one run at a time may be under way: the
 * nonces depend on it. Returns the steps a node has now. Throws RpcFault when the nodes fail; what was stored by then
 * goes on with the next run.
 */
export async function sendWaiting(signer: Signer, lane: { last?: string }): Promise<Step[]> {
  const { storage, network } = signer;
  const sent: Step[] = [];
  if (currentPause(storage, Date.now())) return sent;
  sent.push(...(await resend(signer, ledger.inFlight(storage.sql, network, 'unsent', BATCH))));
  while (currentPause(storage, Date.now()) === undefined) {
    const room = Math.min(BATCH, network.unmined - ledger.unmined(storage.sql));
    const entries = nextWaiting(storage.sql, network, room, lane.last, Date.now());
    if (entries.length === 0) break;
    lane.last = entries.at(-1)?.step.key.gatekeeperNetwork ?? lane.last ?? '';
    sent.push(...(await sendBatch(signer, entries)));
  }
  return sent;
}

/** Hands out what no node is known to have: the same bytes, so nothing can double. */
async function resend(signer: Signer, entries: readonly ledger.Entry[]): Promise<Step[]> {
  const outgoing = entries.flatMap((entry) => entry.signed.slice(-1).map((signed) => ({ entry, signed })));
  return outgoing.length === 0 ? [] : deliver(signer, outgoing);
}

/**
 * Hands out once more what a node took before: nodes forget. The answers do not matter: what was mined meanwhile is
 * refused, and receipts tell.
 */
export async function remind({ storage, network, chain }: Signer): Promise<void> {
  const sent = ledger.inFlight(storage.sql, network, 'sent', BATCH).flatMap(({ signed }) => signed.slice(-1));
  if (sent.length > 0) await chain.broadcast(sent);
}

interface Outgoing {
  readonly entry: ledger.Entry;
  readonly signed: Signed;
}

async function sendBatch(signer: Signer, entries: readonly ledger.Entry[]): Promise<Step[]> {
  const { storage, chain } = signer;
  const { findings, terms } = await chain.look(entries.map(({ step }) => step));
  const first = nextNonce(storage, terms);
  if (first === 'unsettled') {
    pauseSigner(storage, 'transactions of this key are pending that this signer did not send', Date.now());
    return [];
  }
  const outgoing = await sign(signer, entries, findings, terms, first);
  // No `await` in here: bytes, nonces and standings are stored together, and before anything is sent.
  storage.transactionSync(() => {
    for (const { entry, signed, nonce } of outgoing) ledger.storeSigned(storage.sql, entry, signed, nonce);
    if (first !== undefined) storeNextNonce(storage, first + outgoing.length);
    settleFindings(signer, entries, findings);
  });
  return outgoing.length === 0 ? [] : deliver(signer, outgoing);
}

/** Signs what is ready. Whatever happens here, nothing is stored yet and no nonce is used up. */
async function sign(
  { chain }: Signer,
  entries: readonly ledger.Entry[],
  findings: readonly Finding[],
  terms: Terms,
  first: number | undefined,
): Promise<(Outgoing & { nonce: number | undefined })[]> {
  const outgoing: (Outgoing & { nonce: number | undefined })[] = [];
  for (const [index, finding] of findings.entries()) {
    if (finding.is !== 'ready') continue;
    const nonce = first === undefined ? undefined : first + outgoing.length;
    const signed = await chain.sign(finding.call, terms, nonce);
    outgoing.push({ entry: entries[index] as ledger.Entry, signed, nonce });
  }
  return outgoing;
}

/** Everything a look may find. What keeps many steps waiting pauses their lane, or the signer, once. */
function settleFindings(
  { name, storage }: Signer,
  entries: readonly ledger.Entry[],
  findings: readonly Finding[],
): void {
  const { sql } = storage;
  const now = Date.now();
  const kept = new Map<string, string>();
  for (const [index, finding] of findings.entries()) {
    const { seq, step, tries } = entries[index] as ledger.Entry;
    const lane = step.key.gatekeeperNetwork;
    if (finding.is === 'ready') resumeLane(sql, lane);
    if (finding.is === 'found') ledger.setOver(sql, seq, { at: 'found', onChain: finding.onChain });
    if (finding.is === 'refused') ledger.setOver(sql, seq, { at: 'failed', reason: finding.reason });
    if (finding.is !== 'not-now') continue;
    log('step-waits', { signer: name, step: step.id, why: finding.why, keeps: finding.keeps });
    if (finding.keeps === 'step') ledger.putOff(sql, seq, now + backoff(PUT_OFF_MS, tries, LONGEST_PUT_OFF_MS));
    else kept.set(finding.keeps === 'signer' ? WHOLE_SIGNER : lane, finding.why);
  }
  for (const [lane, why] of kept) {
    if (lane === WHOLE_SIGNER) pauseSigner(storage, why, now);
    else pauseLane(sql, lane, why, now);
  }
}

/** In place of a lane; no gatekeeper network has this name. */
const WHOLE_SIGNER = '';

/** Broadcasts stored bytes; what no node took is kept as unsent. Returns the steps that are with a node now. */
async function deliver(signer: Signer, outgoing: readonly Outgoing[]): Promise<Step[]> {
  const { name, storage, chain } = signer;
  const setUnsent = ({ entry }: Outgoing, isUnsent: boolean) => ledger.setUnsent(storage.sql, entry.seq, isUnsent);
  let deliveries: Awaited<ReturnType<typeof chain.broadcast>>;
  try {
    deliveries = await chain.broadcast(outgoing.map(({ signed }) => signed));
  } catch (fault) {
    for (const each of outgoing) setUnsent(each, true);
    throw fault;
  }
  const accepted = outgoing.filter((_, index) => deliveries[index]?.is === 'accepted');
  for (const each of outgoing) setUnsent(each, !accepted.includes(each));
  const refused = deliveries.filter((delivery) => delivery.is === 'refused');
  if (refused.length > 0) log('send-refused', { signer: name, count: refused.length, why: refused[0]?.why });
  if (deliveries.some((delivery) => delivery.is === 'no-funds')) {
    pauseSigner(storage, 'the gatekeeper has no funds', Date.now());
  } else if (accepted.length > 0) {
    resumeSigner(storage);
  }
  return accepted.map(({ entry }) => entry.step);
}
