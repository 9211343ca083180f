import { SECOND_MS } from '../lib/time.ts';
import { within } from '../lib/with-timeout.ts';
import { sendProcessPasses } from '../message/queue.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { Requests, Visit } from './agenda.ts';

/** Lets passes learn of a change at once, because no watcher follows a simulated network, and sends them the requests of a triggered event. */

const OBJECT_TIMEOUT_MS = 10 * SECOND_MS;

type Bindings = Pick<Env, 'PASSES' | 'SIGNERS' | 'PASS_QUEUE'>;

/** Returns whether the visit has reached its end, or there is no such pass. Throws if an object does not answer. */
export function visitPass(env: Bindings, key: PassKey, visit: Visit): Promise<boolean> {
  return 'requests' in visit ? requestNext(env, key, visit.requests) : haveLookAtChain(env, key, visit);
}

/** Requests the first change, once the pass has settled. A change that the pass has already changes nothing. */
async function requestNext(env: Bindings, key: PassKey, { changes: [change], quota }: Requests): Promise<boolean> {
  const object = env.PASSES.getByName(passName(key));
  const pass = await within(OBJECT_TIMEOUT_MS, object.inspect(), 'the pass object');
  if (pass === undefined) return true;
  const { signer, step, isSettled } = pass;
  if (!isSettled) {
    // The signer would look at the chain, and try a postponed step again, after growing pauses.
    const steps = step === undefined ? [] : [{ id: step.id, gatekeeperNetwork: key.gatekeeperNetwork }];
    await within(OBJECT_TIMEOUT_MS, env.SIGNERS.getByName(signer).retryNow(steps), 'the signer');
    return false;
  }
  if (change === undefined) return true;
  const update = async () => {
    const result = await object.update(change, false, quota);
    if (result?.type === 'accepted') await sendProcessPasses(env.PASS_QUEUE, [{ pass: key }]);
    // Another refusal, for example because a quota is used up, is no fault of the service, and final.
    return result?.type !== 'refused' || result.reason !== 'temporarily_unavailable';
  };
  return within(OBJECT_TIMEOUT_MS, update(), 'the pass object');
}

/** Returns whether the pass has learned of the change. */
async function haveLookAtChain(
  env: Bindings,
  key: PassKey,
  visit: Exclude<Visit, { readonly requests: Requests }>,
): Promise<boolean> {
  const object = env.PASSES.getByName(passName(key));
  const pass = await within(OBJECT_TIMEOUT_MS, object.readOnChain(), 'the pass object');
  if (pass === undefined) return true;
  const { id, signer, contract, onChain } = pass;
  const signerObject = env.SIGNERS.getByName(signer);
  if ('reorg' in visit) {
    const isRecorded = (onChain.state === 'NONE') === visit.reorg.isOut;
    // The signer tracks what became of the transaction, and a consumer collects its answer.
    await within(OBJECT_TIMEOUT_MS, signerObject.retryNow([]), 'the signer');
    if (!isRecorded) await sendProcessPasses(env.PASS_QUEUE, [{ pass: key, news: { signer, id } }]);
    return isRecorded;
  }
  const asked = signerObject.observe([{ pass: id, key, contract, known: onChain }]);
  const [observed] = (await within(OBJECT_TIMEOUT_MS, asked, 'the signer')) ?? [];
  if (observed === undefined) return false;
  // As with the watcher of a real network, the pass adopts what is final, and a consumer publishes it.
  const { confirmed, final, isBusy } = observed;
  const adopting = object.adoptObservation({ confirmed, final }, visit.causes);
  const result = await within(OBJECT_TIMEOUT_MS, adopting, 'the pass object');
  if (result === undefined) return true;
  if (result.changed) await sendProcessPasses(env.PASS_QUEUE, [{ pass: key }]);
  return !isBusy && !result.isBusy && (final?.asOf ?? 0) >= visit.since;
}
