import { DAY_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { boundCalls } from '../message/call-object.ts';
import { adoptFromChain, handOver, type PassStub, publishingStoreOf, receiversOf } from '../message/hand-over.ts';
import { sendProcessPasses } from '../message/queue.ts';
import { type PassKey, type PassName, subjectName } from '../pass/pass.ts';
import type { Requests, Visit } from './agenda.ts';

/** The list of the passes of a sandbox: it limits their number, and says which ones to delete. A refused pass counts no rows. */

export const MAX_PASSES = 10_000;
const OBJECT_TIMEOUT_MS = 10 * SECOND_MS;
/** A pass is deleted this long after its issuance. The clock of the sandbox does not count. */
export const KEPT_MS = 30 * DAY_MS;

export function createPassTable(sql: SqlStorage): void {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS pass (name TEXT PRIMARY KEY, admitted INTEGER NOT NULL) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS pass_by_age ON pass (admitted);
    CREATE TABLE IF NOT EXISTS pass_count (n INTEGER NOT NULL);
    INSERT INTO pass_count SELECT (SELECT count(*) FROM pass) WHERE NOT EXISTS (SELECT 1 FROM pass_count);
    CREATE TRIGGER IF NOT EXISTS pass_added AFTER INSERT ON pass BEGIN UPDATE pass_count SET n = n + 1; END;
    CREATE TRIGGER IF NOT EXISTS pass_removed AFTER DELETE ON pass BEGIN UPDATE pass_count SET n = n - 1; END;`);
}

/** Adds a new pass. Returns whether the list has it then: there may be no room. */
export function admit(sql: SqlStorage, name: PassName, now: Milliseconds): boolean {
  const query = `
    INSERT INTO pass (name, admitted) SELECT ?1, ?2
    WHERE (SELECT n FROM pass_count) < ?3 OR EXISTS (SELECT 1 FROM pass WHERE name = ?1)
    ON CONFLICT (name) DO UPDATE SET admitted = excluded.admitted RETURNING 1`;
  return sql.exec(query, name, now, MAX_PASSES).toArray().length > 0;
}

/** Returns the passes that are kept no longer. */
export function oldPasses(sql: SqlStorage, now: Milliseconds, limit: number): PassName[] {
  const query = 'SELECT name FROM pass WHERE admitted <= ? ORDER BY admitted LIMIT ?';
  return namesIn(sql.exec<{ name: string }>(query, now - KEPT_MS, limit));
}

/** Returns when the oldest pass is to be deleted; undefined: there is none. */
export function nextDeletion(sql: SqlStorage): Milliseconds | undefined {
  const { admitted } = sql.exec<{ admitted: number | null }>('SELECT min(admitted) AS admitted FROM pass').one();
  return admitted === null ? undefined : admitted + KEPT_MS;
}

/** Has the pass be deleted later, because it still has a step. */
export function postponeDeletion(sql: SqlStorage, name: PassName, ms: Milliseconds): void {
  sql.exec('UPDATE pass SET admitted = admitted + ? WHERE name = ?', ms, name);
}

/** Removes a deleted pass from the list. Returns whether it has done so: the wallet may have got a new pass meanwhile. */
export function removePass(sql: SqlStorage, name: PassName, now: Milliseconds): boolean {
  const query = 'DELETE FROM pass WHERE name = ? AND admitted <= ? RETURNING 1';
  return sql.exec(query, name, now - KEPT_MS).toArray().length > 0;
}

/** Deletes a pass, also for its subject. Returns whether nothing of it is left. */
export async function erase(
  pass: Pick<PassStub, 'standing' | 'erase'>,
  key: PassKey,
  env: Env,
): Promise<{ readonly isErased: boolean }> {
  const subject = (await pass.standing())?.subject;
  // First, because a pass that is deleted names no subject: a repetition would not find it.
  if (subject !== undefined) await subjectObject(env, key, subject).forget(key);
  return { isErased: await pass.erase() };
}

const subjectObject = ({ SUBJECTS }: Env, { gatekeeperNetwork }: PassKey, subject: string) =>
  boundCalls(SUBJECTS.getByName(subjectName(gatekeeperNetwork, subject)), 'the subject', OBJECT_TIMEOUT_MS);

const namesIn = (rows: Iterable<{ name: string }>) => [...rows].map(({ name }) => name as PassName);

/** Lets passes learn of a change at once, because no watcher follows a simulated network, and sends them the requests of a triggered event. */

const receiversIn = (env: Env) => receiversOf(env, publishingStoreOf(env), OBJECT_TIMEOUT_MS);

/** Returns whether the visit has reached its end, or there is no such pass. Throws if an object does not answer. */
export function visitPass(env: Env, key: PassKey, visit: Visit): Promise<boolean> {
  return 'requests' in visit ? requestNext(env, key, visit.requests) : haveLookAtChain(env, key, visit);
}

/** Requests the first change, once the pass has settled. A change that the pass has already changes nothing. */
async function requestNext(env: Env, key: PassKey, { changes: [change], quota }: Requests): Promise<boolean> {
  const receivers = receiversIn(env);
  const object = receivers.passObject(key);
  const pass = await object.inspect();
  if (pass === undefined) return true;
  const { signer, step, isSettled } = pass;
  if (!isSettled) {
    // The signer would look at the chain, and try a postponed step again, after growing pauses.
    const steps = step === undefined ? [] : [{ id: step.id, gatekeeperNetwork: key.gatekeeperNetwork }];
    await receivers.signerObject(signer).retryNow(steps);
    return false;
  }
  if (change === undefined) return true;
  const { subject } = change;
  // No rule keeps a triggered event from happening.
  const result = await (typeof subject === 'string'
    ? subjectObject(env, key, subject).update(key, change, false, quota, {})
    : object.update(change, false, quota));
  if (result?.type === 'accepted') await handOver([result], receivers);
  // Another refusal, for example because a quota is used up, is no fault of the service, and final.
  return result?.type !== 'refused' || result.reason !== 'temporarily_unavailable';
}

/** Returns whether the pass has learned of the change. */
async function haveLookAtChain(
  env: Env,
  key: PassKey,
  visit: Exclude<Visit, { readonly requests: Requests }>,
): Promise<boolean> {
  const receivers = receiversIn(env);
  const pass = await receivers.passObject(key).readOnChain();
  if (pass === undefined) return true;
  const { signer, question } = pass;
  const signerObject = receivers.signerObject(signer);
  if ('reorg' in visit) {
    const isRecorded = (question.known.state === 'NONE') === visit.reorg.isOut;
    // The signer tracks what became of the transaction, and a consumer collects its answer.
    await signerObject.retryNow([]);
    if (!isRecorded) await sendProcessPasses(receivers.queue, [{ pass: key, news: { signer, id: question.pass } }]);
    return isRecorded;
  }
  const [observed] = (await signerObject.observe([question])) ?? [];
  if (observed === undefined) return false;
  const { confirmed, final, isBusy } = observed;
  const shown = { ...question, observation: { confirmed, final }, causes: visit.causes };
  const { answers } = await adoptFromChain([shown], receivers);
  const [answer = 'unreachable'] = answers;
  if (typeof answer === 'string') return answer === 'no-pass';
  return !isBusy && !answer.isBusy && (final?.asOf ?? 0) >= visit.since;
}
