import { SECOND_MS } from '../lib/time.ts';
import { within } from '../lib/with-timeout.ts';
import { sendProcessPasses } from '../message/queue.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { Visit } from './agenda.ts';

/** Lets passes learn of a change at once, because no watcher follows a simulated network. */

const OBJECT_TIMEOUT_MS = 10 * SECOND_MS;

type Bindings = Pick<Env, 'PASSES' | 'SIGNERS' | 'PASS_QUEUE'>;

/** Returns whether the pass has learned of the change, or there is no such pass. Throws if an object does not answer. */
export async function visitPass(env: Bindings, key: PassKey, visit: Visit): Promise<boolean> {
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
