import { SECOND_MS } from '../lib/time.ts';
import { adoptFromChain } from '../message/adopt-from-chain.ts';
import { handOver, receiversOf } from '../message/hand-over.ts';
import { sendProcessPasses } from '../message/queue.ts';
import { publishingStoreOf } from '../message/wake-webhooks.ts';
import type { PassKey } from '../pass/pass.ts';
import type { Requests, Visit } from './agenda.ts';

/** Lets passes learn of a change at once, because no watcher follows a simulated network, and sends them the requests of a triggered event. */

const OBJECT_TIMEOUT_MS = 10 * SECOND_MS;

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
  const result = await object.update(change, false, quota);
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
