import { SECOND_MS } from '../lib/time.ts';
import { within } from '../lib/with-timeout.ts';
import { sendProcessPasses } from '../message/queue.ts';
import { type PassKey, passName } from '../pass/pass.ts';
import type { Visit } from './agenda.ts';

const OBJECT_TIMEOUT_MS = 10 * SECOND_MS;

type Bindings = Pick<Env, 'PASSES' | 'SIGNERS' | 'PASS_QUEUE'>;

/**
 * Lets a pass look at its wallet, as the watcher of a real network does: its signer observes the wallet, and the pass adopts what is
 * final. A consumer then publishes it. Returns whether the pass has seen the change. Throws if an object does not answer.
 */
export async function visitPass(env: Bindings, key: PassKey, { since, causes }: Visit): Promise<boolean> {
  const object = env.PASSES.getByName(passName(key));
  const pass = await within(OBJECT_TIMEOUT_MS, object.readOnChain(), 'the pass object');
  if (pass === undefined) return true;
  const { id, signer, contract, onChain } = pass;
  const asked = env.SIGNERS.getByName(signer).observe([{ pass: id, key, contract, known: onChain }]);
  const [observed] = (await within(OBJECT_TIMEOUT_MS, asked, 'the signer')) ?? [];
  if (observed === undefined) return false;
  const { confirmed, final, isBusy } = observed;
  const adopting = object.adoptObservation({ confirmed, final }, causes);
  const result = await within(OBJECT_TIMEOUT_MS, adopting, 'the pass object');
  if (result === undefined) return true;
  const isReorg = causes.length === 0;
  // Its signer has found out that a transaction has left the chain, and a consumer collects that.
  if (result.changed || isReorg) await sendProcessPasses(env.PASS_QUEUE, [{ pass: key }]);
  return isReorg || (!isBusy && !result.isBusy && (final?.asOf ?? 0) >= since);
}
