import { type BroadcastResult, type PrepareResult, SigningRefused, type Terms } from '../chain/port.ts';
import { backoff } from '../lib/backoff.ts';
import { log, logFault } from '../log/log.ts';
import { CHAIN_RULES } from '../pass/chain-rules.ts';
import { passIdOf, type Step, type StepKind } from '../pass/step.ts';
import { applyFindings } from './apply-findings.ts';
import { nextSteps } from './lanes.ts';
import { nextNonce, storeNextNonce } from './nonces.ts';
import { currentPause, pauseSigner, resumeSigner } from './pause.ts';
import type { Signer } from './signer.ts';
import * as ledger from './step-table.ts';
import * as transitions from './transitions.ts';

/** Steps that go through one look and one broadcast together. */
const BATCH_MAX_STEPS = 100;
/** Batches of one run: what is left comes with the next, so that nobody waits for the end of a long backlog. */
const RUN_MAX_BATCHES = 10;
/** So many transactions of a step may be mined without effect. */
const MAX_INEFFECTIVE_ATTEMPTS = 3;
/** Transactions that are handed out again at a time. */
const REBROADCAST_MAX_TRANSACTIONS = 1_000;
const RETRY_MIN_MS = 2_000;
const RETRY_MAX_MS = 60_000;

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
  const sent = await broadcast(signer, newestOf(ledger.unsentSteps(storage.sql, network, Date.now(), BATCH_MAX_STEPS)));
  for (let batch = 0; batch < RUN_MAX_BATCHES && currentPause(storage, Date.now()) === undefined; batch += 1) {
    const room = Math.min(BATCH_MAX_STEPS, network.unmined - ledger.countUnmined(storage.sql));
    const entries = nextSteps(storage.sql, network, room, turn, Date.now());
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
  const all = newestOf(ledger.stepsInFlight(storage.sql, network, 'sent', REBROADCAST_MAX_TRANSACTIONS));
  const sent = all.filter(({ signed: { signedAtMs = 0 } }) => signedAtMs < before);
  if (sent.length > 0) await chain.broadcast(sent.map(({ signed }) => signed));
}

interface Outgoing {
  readonly entry: ledger.StepEntry;
  readonly signed: ledger.StoredTransaction;
}

function newestOf(entries: readonly ledger.StepEntry[]): Outgoing[] {
  return entries.flatMap((entry) => entry.signed.slice(-1).map((signed) => ({ entry, signed })));
}

async function sendBatch(signer: Signer, entries: readonly ledger.StepEntry[]): Promise<Step[]> {
  const { storage, chain } = signer;
  const { results: looked, terms } = await chain.prepare(
    entries.map(({ step }) => step),
    ledger.countUnmined(storage.sql),
  );
  const concluded = looked.map((finding, index) =>
    concludeResult(storage.sql, finding, entries[index] as ledger.StepEntry),
  );
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
    applyFindings(signer, entries, findings);
  });
  return broadcast(signer, outgoing);
}

const EARLIER_NOT_FINAL: PrepareResult = {
  type: 'not-now',
  why: 'an earlier transaction of the pass is not final',
  blocks: 'step',
};

/** What a finding comes to for its step, given what became of others. */
function concludeResult(
  sql: SqlStorage,
  finding: PrepareResult,
  { step, ineffectiveAttempts }: ledger.StepEntry,
): PrepareResult {
  if (finding.type === 'not-now') return finding;
  // What a reorg took from the chain looks like what others did; and it may come back.
  if (finding.type !== 'ready') return hasNonFinalStep(sql, step) ? EARLIER_NOT_FINAL : finding;
  // Both would take effect in any order.
  const { transactionsAreOrdered } = CHAIN_RULES[step.key.chain];
  if (step.kind === 'set-expiry' && !transactionsAreOrdered && hasNonFinalStep(sql, step, 'set-expiry'))
    return EARLIER_NOT_FINAL;
  // A call that would succeed and did not, time and again: only after the chain was read once more is that believed.
  return ineffectiveAttempts < MAX_INEFFECTIVE_ATTEMPTS
    ? finding
    : { type: 'refused', reason: 'its transactions were mined without effect' };
}

/** Whether an earlier step of the pass, of that kind or of any, is signed and not final. */
function hasNonFinalStep(sql: SqlStorage, { id }: Step, kind?: StepKind): boolean {
  const earlier = ledger.stepsOf(sql, passIdOf(id)).filter((step) => kind === undefined || step.kind === kind);
  return earlier.some(({ status }) => status !== 'waiting' && status !== 'final');
}

/** Signs what is ready. Whatever happens here, nothing is stored yet and no nonce is used up. What must not be signed waits. */
async function sign(
  { name, chain, storage: { sql } }: Signer,
  entries: readonly ledger.StepEntry[],
  findings: readonly PrepareResult[],
  terms: Terms,
  first: number | undefined,
): Promise<{ outgoing: (Outgoing & { nonce: number | undefined })[]; findings: PrepareResult[] }> {
  const outgoing: (Outgoing & { nonce: number | undefined })[] = [];
  const settled = [...findings];
  for (const [index, entry] of entries.entries()) {
    const finding = findings[index];
    if (finding?.type !== 'ready') continue;
    const nonce = first === undefined ? undefined : first + outgoing.length;
    try {
      const signed = await chain.sign(finding.call, terms, nonce);
      const basedOnNonFinal = hasNonFinalStep(sql, entry.step) || undefined;
      outgoing.push({
        entry,
        nonce,
        signed: { ...signed, expectedOnChain: finding.expectedOnChain, basedOnNonFinal, signedAtMs: Date.now() },
      });
    } catch (fault) {
      if (!(fault instanceof SigningRefused)) throw fault;
      logFault('sign-forbidden', fault, { signer: name, step: entry.step.id });
      settled[index] = { type: 'not-now', why: `must not be signed: ${fault.message}`, blocks: 'step' };
    }
  }
  return { outgoing, findings: settled };
}

/** Hands stored bytes to the nodes; what no node takes goes out again later. Returns the steps a node has now. */
async function broadcast(signer: Signer, outgoing: readonly Outgoing[]): Promise<Step[]> {
  if (outgoing.length === 0) return [];
  const deliveries = await signer.chain.broadcast(outgoing.map(({ signed }) => signed));
  const taken = outgoing.filter((_, index) => deliveries[index]?.type === 'accepted');
  for (const { entry, signed } of taken) transitions.setSent(signer.storage.sql, entry, signed.identifier);
  for (const [index, { entry }] of outgoing.entries()) {
    const delivery = deliveries[index];
    if (delivery?.type === 'accepted') continue;
    const until = Date.now() + backoff(RETRY_MIN_MS, entry.tries, RETRY_MAX_MS);
    transitions.postpone(signer.storage.sql, entry.seq, until, broadcastFailureOf(delivery));
  }
  logRefusals(signer, deliveries);
  if (deliveries.some(({ type }) => type === 'no-funds')) pauseSigner(signer, 'the gatekeeper has no funds');
  // What these steps were looked at with may have paused it a moment ago: for the others of them.
  else if (taken.length > 0 && !currentPause(signer.storage, Date.now())) resumeSigner(signer.storage);
  return taken.map(({ entry }) => entry.step);
}

function broadcastFailureOf(delivery: BroadcastResult | undefined): string {
  if (delivery?.type === 'refused') return delivery.why;
  return delivery?.type === 'no-funds' ? 'the gatekeeper has no funds' : 'the node did not answer';
}

function logRefusals({ name }: Signer, deliveries: readonly BroadcastResult[]): void {
  const refused = deliveries.filter((delivery) => delivery.type === 'refused');
  if (refused.length > 0) log('send-refused', { signer: name, count: refused.length, why: refused[0]?.why });
}
