import type { ChainChange, Place, Resolution, ResolvedChange, UnresolvedChange } from '../chain/watch-port.ts';
import { MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import { type Adopted, adoptFromChain, type Receivers, receiversOf } from '../message/hand-over.ts';
import type { SignerName } from '../network/network.ts';
import type { Observation } from '../pass/adopt.ts';
import { differsOnChain, isOfLaterToken, type OnChain, type PassQuestion } from '../pass/pass.ts';
import type { Owner } from '../store/partners.ts';
import type { Store } from '../store/store.ts';
import { type DifferingToken, dropWithoutPass, findDiffering, type ResolvedToken } from './compare-with-rows.ts';
import { withUnserved } from './places.ts';
import { networkIn, subjectOf, type WaitingChange } from './waiting-changes.ts';
import { isInContract, type WatchedNetwork } from './watched-network.ts';
import type { WatcherStore } from './watcher-store.ts';

/** Hands the changes that are due to the passes that they concern. The watcher states nothing: each pass reads its own wallet. */

/** Maximum number of changes that one interval reads from the chain and hands on to passes. */
const HANDED_ON_MAX = 100;
/** Maximum number of changes that one interval takes from the table. Comparing them with D1 costs no request to an endpoint. */
const COMPARED_MAX = 300;
/** Maximum number of batches in which one interval does so. */
const BATCHES_MAX = 8;
const RETRY_MAX_MS = MINUTE_MS;
/** Maximum delay while a step of the pass is under way: when the step ends, the pass reads the chain by itself. */
const BUSY_RETRY_MAX_MS = 10 * MINUTE_MS;
const OBJECT_TIMEOUT_MS = 10 * SECOND_MS;

interface HandOn {
  readonly store: WatcherStore;
  readonly database: Pick<Store, 'findOwners' | 'findShownTokens' | 'publishPasses'>;
  readonly env: Pick<Env, 'PASSES' | 'SIGNERS' | 'PASS_QUEUE'>;
}

/** Hands on what is due. Throws if the endpoints or D1 do not answer. The changes then wait for their next try. */
export async function handOn(parts: HandOn, watched: WatchedNetwork): Promise<void> {
  // Transactions that cannot be read must not keep the known tokens waiting.
  const faults = await readTransactions(parts, watched);
  const due = dueOf(parts, COMPARED_MAX, 'token');
  let some = due.slice(0, HANDED_ON_MAX);
  try {
    some = (await dropWithoutPass(parts, watched.network, due)).slice(0, HANDED_ON_MAX);
  } catch (fault) {
    for (const each of some) postpone(parts, watched, each);
    throw fault;
  }
  faults.push(
    ...(await inBatches(parts, watched, some, async (batch) => {
      const turn = turnFor(parts, watched, batch);
      const tokens = await resolveTokens(parts, watched, batch, turn);
      const isEnd = (waiting: WaitingChange) => endsByTwo(parts, watched, waiting, turn);
      await askPasses(parts, watched, await findDiffering(parts, watched.network, tokens, isEnd));
    })),
  );
  if (faults.length > 0) throw faults[0];
}

/**
 * Works on batches, and postpones those that fail. One change that no endpoint can read must not hold up the others: a batch is smaller
 * the more often its changes have failed, and larger again after a success. Returns the faults.
 */
async function inBatches(
  parts: HandOn,
  watched: WatchedNetwork,
  due: readonly WaitingChange[],
  work: (batch: readonly WaitingChange[]) => Promise<void>,
): Promise<unknown[]> {
  const faults: unknown[] = [];
  let rest = due.toSorted((a, b) => a.tries - b.tries);
  let size = HANDED_ON_MAX;
  for (let batches = 0; batches < BATCHES_MAX && rest[0] !== undefined; batches += 1) {
    size = Math.max(1, Math.min(size, batches === 0 ? HANDED_ON_MAX >> rest[0].tries : size));
    const batch = rest.slice(0, size);
    rest = rest.slice(size);
    try {
      await work(batch);
      size *= 2;
    } catch (fault) {
      faults.push(fault);
      size >>= 1;
      for (const each of batch) postpone(parts, watched, each);
    }
  }
  return faults;
}

const turnFor = ({ store }: HandOn, { endpoints }: WatchedNetwork, asked: readonly WaitingChange[]) =>
  store.turnFor(asked, endpoints);

const endsByTwo = ({ store }: HandOn, { endpoints }: WatchedNetwork, waiting: WaitingChange, turn: number) =>
  store.isEndedByTwo(waiting, turn, endpoints);

const dueOf = ({ store }: HandOn, limit: number, type: ChainChange['type']) =>
  store.changes.due(store.history, Date.now(), type, limit);

function postpone({ store }: HandOn, { intervalMs }: WatchedNetwork, waiting: WaitingChange, max = RETRY_MAX_MS): void {
  store.changes.postpone(waiting, intervalMs, max, Date.now());
}

/** Replaces transactions by the tokens that they have changed, so that each waits for its own pass. Returns the faults. */
function readTransactions(parts: HandOn, watched: WatchedNetwork): Promise<unknown[]> {
  const { store } = parts;
  return inBatches(parts, watched, dueOf(parts, HANDED_ON_MAX, 'transaction'), async (due) => {
    const asked = due.flatMap(({ changes }) => changes.filter(isUnresolved));
    const turn = turnFor(parts, watched, due);
    const { resolved, unresolved, unread } = await watched.port.resolve(asked, turn);
    const bySubject = new Map(due.map((waiting) => [waiting.subject, waiting]));
    // A token whose owner is unknown waits by itself.
    const tokens = [...resolved, ...unresolved.filter((change) => change.type === 'token')];
    const absent = new Set(unresolved.filter((change) => change.type === 'transaction').map(subjectOf));
    const whys = new Map(unread.map(({ change, why }) => [subjectOf(change), `${change.transaction}: ${why}`]));
    store.commit(() => {
      const read = new Set<string>();
      for (const change of tokens) {
        const waiting = bySubject.get(subjectOf({ ...change, type: 'transaction' }));
        if (waiting === undefined) continue;
        read.add(waiting.subject);
        store.changes.add({ ...change, type: 'token' }, waiting.timeBefore);
      }
      // A node may not have a transaction yet. One that changes no token is read until it is final. Another node may read one that this
      // one does not show in full. If its known changes wait by themselves already, the rest is left to the reconciliation at once.
      for (const waiting of due) {
        const [isRead, why] = [read.has(waiting.subject), whys.get(waiting.subject)];
        const isDecided =
          isRead || (waiting.at <= store.history.finalAt && why === undefined && !absent.has(waiting.subject));
        if (!isDecided && (waiting.at > store.history.finalAt || !endsByTwo(parts, watched, waiting, turn)))
          postpone(parts, watched, waiting);
        else if (why !== undefined) leaveToReconciliation(parts, waiting, why);
        else store.changes.delete([waiting.subject]);
      }
    });
  });
}

/** Turns a change that nothing shows in full into a gap, so that the reconciliation reads the passes of the network. */
function leaveToReconciliation({ store }: HandOn, { subject, at, timeBefore: time }: WaitingChange, why: string): void {
  const [after, before] = [at - 1, at + 1].map((each): Place => ({ at: each, id: '', time })) as [Place, Place];
  store.setHistory(withUnserved(store.history, [{ after, before, why }], Date.now()));
  store.changes.delete([subject]);
}

/**
 * Whether a token that no longer exists may have had a pass. On Ethereum-type networks, the log of its burn names the gatekeeper network,
 * and was read since the first look: a stranger's was dropped, and one with an owner would be among the changes.
 */
function mayHaveHadPass(
  { network }: WatchedNetwork,
  { changes }: WaitingChange,
  owners: ReadonlyMap<string, Owner>,
): boolean {
  const isOfPartner = (each: ChainChange) => isInContract(owners.get(networkIn(each) ?? ''), network, each.contract);
  return network.chain === 'solana' || changes.some(isOfPartner);
}

const isUnresolved = (change: ChainChange): change is UnresolvedChange =>
  change.type === 'token' || change.type === 'transaction';

const NOTHING: Resolution = { resolved: [], unresolved: [], unread: [] };

/** Finds the owners of the tokens, and reads the tokens as they are now. */
async function resolveTokens(
  parts: HandOn,
  watched: WatchedNetwork,
  due: readonly WaitingChange[],
  turn: number,
): Promise<ResolvedToken[]> {
  const known = due.map(({ changes }) => changes.filter(isResolved));
  const unread = due.filter(({ changes }, index) => known[index]?.length !== changes.length);
  const asked = unread.flatMap(({ changes }) => changes.filter(isUnresolved));
  const { resolved, unresolved } = asked.length === 0 ? NOTHING : await watched.port.resolve(asked, turn);
  const bySubject = Map.groupBy(resolved, (change) => subjectOf({ ...change, type: 'token' }));
  const unnamed = new Set(unresolved.map(subjectOf));
  const owners = await parts.database.findOwners(unresolved.flatMap((change) => networkIn(change) ?? []));
  const { finalAt } = parts.store.history;
  return due.flatMap((waiting, index): ResolvedToken[] => {
    const tokens = unread.includes(waiting) ? (bySubject.get(waiting.subject) ?? []) : (known[index] ?? []);
    // A log that an endpoint has invented may name another owner.
    const byHolder = Map.groupBy(tokens, ({ holder }) => `${holder.gatekeeperNetwork} ${holder.wallet}`);
    const held = [...byHolder.values()].flatMap(([token, ...others]) => (token ? [[token, ...others] as const] : []));
    if (held.length > 0) return held.map((resolved) => ({ waiting, holder: resolved[0].holder, resolved }));
    // After a reorg, nothing names the owner of a token that no longer exists. Another node may still know it.
    const isSecondLook = waiting.at <= finalAt && waiting.endedBy !== undefined && waiting.endedBy !== turn;
    if (waiting.at > finalAt || !endsByTwo(parts, watched, waiting, turn) || !isSecondLook)
      postpone(parts, watched, waiting);
    else if (unnamed.has(waiting.subject) && mayHaveHadPass(watched, waiting, owners))
      leaveToReconciliation(parts, waiting, 'the owner of a burned token is unknown');
    else parts.store.changes.delete([waiting.subject]);
    return [];
  });
}

/** A token that was found in a transaction has been read there. */
const isResolved = (change: ChainChange): change is ResolvedChange & { readonly type: 'token' } =>
  change.type === 'token' && 'state' in change;

interface Asked {
  readonly token: DifferingToken;
  readonly signer: SignerName;
  readonly question: PassQuestion;
}

/** Lets each pass adopt what two endpoints show of its wallet, and decides the changes. */
async function askPasses(parts: HandOn, watched: WatchedNetwork, tokens: readonly DifferingToken[]): Promise<void> {
  const { store, env, database } = parts;
  const receivers = receiversOf(env, database, OBJECT_TIMEOUT_MS);
  const questions = await flatAll(tokens, (token) => readQuestion(parts, watched, receivers, token));
  // The passes of a key that has left the configuration are read by another signer of the network.
  const [other] = watched.signers;
  const bySigner = Map.groupBy(questions, ({ signer }) =>
    watched.signers.includes(signer) ? signer : (other ?? signer),
  );
  const observed = await flatAll([...bySigner], ([signer, group]) => observe(parts, watched, receivers, signer, group));
  const shown = observed.map(({ token, question, observation: { confirmed, final } }) => {
    const { causes, version: rowVersion } = token;
    return { ...question, observation: { confirmed, final }, causes, rowVersion };
  });
  const { answers, missing, fault } = await adoptFromChain(shown, receivers);
  const adopted = store.commit(() => {
    let differing = 0;
    for (const [index, each] of observed.entries()) {
      const { token, question } = each;
      const answer = answers[index] ?? 'unreachable';
      if (answer === 'no-pass') store.changes.delete([token.waiting.subject]);
      else if (answer === 'unreachable') postpone(parts, watched, token.waiting);
      else {
        if (differsOnChain(question.known, answer.onChain)) differing += 1;
        if (missing.includes(answer.publication)) postpone(parts, watched, token.waiting);
        else settle(parts, watched, each, answer);
      }
    }
    store.countForeignChanges(differing);
    return differing;
  });
  if (adopted > 0) log('watcher.changes_adopted', { network: watched.network.network, passes: adopted });
  if (fault !== undefined) throw fault;
}

async function flatAll<T, R>(items: readonly T[], ask: (item: T) => Promise<readonly R[]>): Promise<R[]> {
  return (await Promise.all(items.map(ask))).flat();
}

/** Returns the question for the signer of the pass; none if there is no such pass, or if its object does not answer. */
async function readQuestion(
  parts: HandOn,
  watched: WatchedNetwork,
  { passObject }: Receivers,
  token: DifferingToken,
): Promise<Asked[]> {
  try {
    const pass = await passObject(token.key).readOnChain();
    if (pass !== undefined) return [{ token, ...pass }];
    parts.store.changes.delete([token.waiting.subject]);
    return [];
  } catch (fault) {
    logFault('pass.unreachable', fault, { network: watched.network.network });
    postpone(parts, watched, token.waiting);
    return [];
  }
}

interface Observed extends Asked {
  /** As a signer answers. */
  readonly observation: Observation & { readonly isBusy: boolean; readonly openSince: Milliseconds | undefined };
}

async function observe(
  parts: HandOn,
  watched: WatchedNetwork,
  { signerObject }: Receivers,
  signer: SignerName,
  asked: readonly Asked[],
): Promise<Observed[]> {
  try {
    const found = await signerObject(signer).observe(asked.map(({ question }) => question));
    if (found === undefined) throw new Error('the signer cannot read the wallets');
    return asked.flatMap((each, index) => {
      const observation = found[index];
      return observation === undefined ? [] : [{ ...each, observation }];
    });
  } catch (fault) {
    logFault('signer.unreachable', fault, { signer });
    for (const { token } of asked) postpone(parts, watched, token.waiting);
    return [];
  }
}

/** Deletes the change if it is decided. Otherwise it waits for its final block, or for the next try. */
function settle(parts: HandOn, watched: WatchedNetwork, { token, observation }: Observed, answer: Adopted): void {
  const { onChain, publication } = answer;
  const isBusy = observation.isBusy || answer.isBusy;
  const { changes, history } = parts.store;
  const { waiting } = token;
  const shows = (state: OnChain | undefined): state is OnChain => (state?.asOf ?? -1) >= waiting.at;
  const { confirmed, final, openSince } = observation;
  const { isPending } = publication.validity;
  // The outcome of a transaction says nothing about changes by others after its block: it may bring back the state that they have ended.
  // Until then, public checks know only a noted loss. A step that its signer has not signed yet reads the wallet first.
  const hasOpenOutcome = openSince !== undefined;
  const isKnown = (state: OnChain) => !differsOnChain(onChain, state) && !isOfLaterToken(onChain, state);
  const isSame = shows(confirmed) && isKnown(confirmed) && !hasOpenOutcome;
  const isFinal = shows(final) && !isBusy;
  if ((isSame || isFinal) && !isPending) return changes.delete([waiting.subject]);
  if (shows(confirmed) && (isPending || !hasOpenOutcome)) changes.setObserved(waiting, token.holder);
  if (shows(confirmed) && history.finalAt < waiting.at) return;
  postpone(parts, watched, waiting, isBusy && !hasOpenOutcome ? BUSY_RETRY_MAX_MS : RETRY_MAX_MS);
}
