import { type BroadcastResult, type PrepareResult, SigningRefused, type Terms } from '../chain/port.ts';
import { backoff } from '../lib/backoff.ts';
import { log, logFault } from '../log/log.ts';
import { CHAIN_RULES } from '../pass/chain-rules.ts';
import { passIdOf, type Step, type StepKind } from '../pass/step.ts';
import { settleFindings } from './apply-findings.ts';
import { nextWaiting } from './lanes.ts';
import { nextNonce, storeNextNonce } from './nonces.ts';
import { currentPause, pauseSigner, resumeSigner } from './pause.ts';
import type { Signer } from './signer.ts';
import * as ledger from './step-table.ts';
import * as transitions from './transitions.ts';

/** Steps that go through one look and one broadcast together. */
const BATCH = 100;
/** Batches of one run: what is left comes with the next, so that nobody waits for the end of a long backlog. */
const BATCHES = 10;
/** So many transactions of a step may be mined without effect. */
const MISFIRES = 3;
/** Transactions that are handed out again at a time. */
const REBROADCAST = 1_000;
const RETRY_MS = 2_000;
const LONGEST_RETRY_MS = 60_000;

/**
 * Takes waiting steps as far as they go: look, sign, store, broadcast. Only one run at a time may be under way: the
 * nonces depend on it. Returns the steps a node has now. Throws RpcFault when the nodes fail; what was stored by then
 * goes on with the next run.
 */
export async function sendWaiting(signer: Signer): Promise<Step[]> {
  const { storage, network, turn, superseded } = signer;
  // Between two runs nothing is in anybody's hands; also while the signer is paused.
  for (const id of superseded) transitions.withdraw(storage.sql, id);
  superseded.clear();
  if (currentPause(storage, Date.now())) return [];
  const sent = await broadcast(signer, newestOf(ledger.unsent(storage.sql, network, Date.now(), BATCH)));
  for (let batch = 0; batch < BATCHES && currentPause(storage, Date.now()) === undefined; batch += 1) {
    const room = Math.min(BATCH, network.unmined - ledger.unmined(storage.sql));
    const entries = nextWaiting(storage.sql, network, room, turn, Date.now());
    if (entries.length === 0) break;
    sent.push(...(await sendBatch(signer, entries)));
  }
  return sent;
}

/**
 * Hands out once more what a node has had, and what was signed before that moment (ms): nodes forget. The answers do not
 * matter, what the chain holds does.
 */
export async function rebroadcast(
  { storage, network, chain }: Signer,
  before = Number.POSITIVE_INFINITY,
): Promise<void> {
  const all = newestOf(ledger.inFlight(storage.sql, network, 'sent', REBROADCAST));
  const sent = all.filter(({ signed: { at = 0 } }) => at < before);
  if (sent.length > 0) await chain.broadcast(sent.map(({ signed }) => signed));
}

interface Outgoing {
  readonly entry: ledger.Entry;
  readonly signed: ledger.StoredTransaction;
}

function newestOf(entries: readonly ledger.Entry[]): Outgoing[] {
  return entries.flatMap((entry) => entry.signed.slice(-1).map((signed) => ({ entry, signed })));
}

async function sendBatch(signer: Signer, entries: readonly ledger.Entry[]): Promise<Step[]> {
  const { storage, chain } = signer;
  const { findings: looked, terms } = await chain.look(
    entries.map(({ step }) => step),
    ledger.unmined(storage.sql),
  );
  const concluded = looked.map((finding, index) => conclusion(storage.sql, finding, entries[index] as ledger.Entry));
  const first = nextNonce(storage, terms);
  if (typeof first === 'object') {
    pauseSigner(signer, first.why);
    return [];
  }
  const { outgoing, findings } = await sign(signer, entries, concluded, terms, first);
  // No `await` in here: bytes and nonces are stored together, and before anything is sent.
  storage.transactionSync(() => {
    for (const { entry, signed, nonce } of outgoing) transitions.storeSigned(storage.sql, entry, signed, nonce);
    // Only what is signed uses nonces up: else a node could have them counted on without end.
    if (first !== undefined && outgoing.length > 0) storeNextNonce(storage, first + outgoing.length);
    settleFindings(signer, entries, findings);
  });
  return broadcast(signer, outgoing);
}

const LOOSE_BEFORE: PrepareResult = {
  is: 'not-now',
  why: 'an earlier transaction of the pass is not final',
  keeps: 'step',
};

/** What a finding comes to for its step, given what became of others. */
function conclusion(sql: SqlStorage, finding: PrepareResult, { step, misfires }: ledger.Entry): PrepareResult {
  if (finding.is === 'not-now') return finding;
  // What a reorg took from the chain looks like what others did; and it may come back.
  if (finding.is !== 'ready') return isLoose(sql, step) ? LOOSE_BEFORE : finding;
  // Both would take effect in any order.
  const { transactionsAreOrdered } = CHAIN_RULES[step.key.chain];
  if (step.kind === 'set-expiry' && !transactionsAreOrdered && isLoose(sql, step, 'set-expiry')) return LOOSE_BEFORE;
  // A call that would succeed and did not, time and again: only after the chain was read once more is that believed.
  return misfires < MISFIRES ? finding : { is: 'refused', reason: 'its transactions were mined without effect' };
}

/** Whether an earlier step of the pass, of that kind or of any, is signed and not final. */
function isLoose(sql: SqlStorage, { id }: Step, kind?: StepKind): boolean {
  const earlier = ledger.stepsOf(sql, passIdOf(id)).filter((step) => kind === undefined || step.kind === kind);
  return earlier.some(({ status }) => status !== 'waiting' && status !== 'final');
}

/** Signs what is ready. Whatever happens here, nothing is stored yet and no nonce is used up. What must not be signed waits. */
async function sign(
  { name, chain, storage: { sql } }: Signer,
  entries: readonly ledger.Entry[],
  findings: readonly PrepareResult[],
  terms: Terms,
  first: number | undefined,
): Promise<{ outgoing: (Outgoing & { nonce: number | undefined })[]; findings: PrepareResult[] }> {
  const outgoing: (Outgoing & { nonce: number | undefined })[] = [];
  const settled = [...findings];
  for (const [index, entry] of entries.entries()) {
    const finding = findings[index];
    if (finding?.is !== 'ready') continue;
    const nonce = first === undefined ? undefined : first + outgoing.length;
    try {
      const signed = await chain.sign(finding.call, terms, nonce);
      const unsure = isLoose(sql, entry.step) || undefined;
      outgoing.push({ entry, nonce, signed: { ...signed, leaves: finding.leaves, unsure, at: Date.now() } });
    } catch (fault) {
      if (!(fault instanceof SigningRefused)) throw fault;
      logFault('sign-forbidden', fault, { signer: name, step: entry.step.id });
      settled[index] = { is: 'not-now', why: `must not be signed: ${fault.message}`, keeps: 'step' };
    }
  }
  return { outgoing, findings: settled };
}

/** Hands stored bytes to the nodes; what no node takes goes out again later. Returns the steps a node has now. */
async function broadcast(signer: Signer, outgoing: readonly Outgoing[]): Promise<Step[]> {
  if (outgoing.length === 0) return [];
  const deliveries = await signer.chain.broadcast(outgoing.map(({ signed }) => signed));
  const taken = outgoing.filter((_, index) => deliveries[index]?.is === 'accepted');
  for (const { entry, signed } of taken) transitions.setSent(signer.storage.sql, entry, signed.identifier);
  for (const [index, { entry }] of outgoing.entries()) {
    const delivery = deliveries[index];
    if (delivery?.is === 'accepted') continue;
    const until = Date.now() + backoff(RETRY_MS, entry.tries, LONGEST_RETRY_MS);
    transitions.putOff(signer.storage.sql, entry.seq, until, whyLeft(delivery));
  }
  tellRefusals(signer, deliveries);
  if (deliveries.some(({ is }) => is === 'no-funds')) pauseSigner(signer, 'the gatekeeper has no funds');
  // What these steps were looked at with may have paused it a moment ago: for the others of them.
  else if (taken.length > 0 && !currentPause(signer.storage, Date.now())) resumeSigner(signer.storage);
  return taken.map(({ entry }) => entry.step);
}

function whyLeft(delivery: BroadcastResult | undefined): string {
  if (delivery?.is === 'refused') return delivery.why;
  return delivery?.is === 'no-funds' ? 'the gatekeeper has no funds' : 'the node did not answer';
}

function tellRefusals({ name }: Signer, deliveries: readonly BroadcastResult[]): void {
  const refused = deliveries.filter((delivery) => delivery.is === 'refused');
  if (refused.length > 0) log('send-refused', { signer: name, count: refused.length, why: refused[0]?.why });
}
