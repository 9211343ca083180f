import type { FinalNonce } from '../port.ts';
import { isUnanswered, resultOf } from '../rpc-answer.ts';
import type { Ethereum } from './context.ts';
import * as calls from './rpc.ts';

/**
 * Reads the account's nonce as of the newest final block; undefined while the chain has no final block. Throws RpcFault if
 * the node does not answer for the final block, or does not have its state.
 */
export async function readFinalNonce({
  rpc,
  network: { final },
  gatekeeper,
}: Pick<Ethereum, 'rpc' | 'network' | 'gatekeeper'>): Promise<FinalNonce | undefined> {
  const [newest] = await rpc(['tag' in final ? calls.block(final.tag) : calls.newestBlock]);
  if (isUnanswered(newest)) resultOf(newest);
  const number = (calls.numberOf(newest) ?? -1) - ('tag' in final ? 0 : final.depth);
  if (number < 0) return undefined;
  // Read by number: with a tag, the calls of a batch could be answered as of different blocks.
  const at = calls.hex(number);
  const [block, count] = await rpc([calls.block(at), calls.nonceAt(gatekeeper.address, at)]);
  return { nonce: calls.countOf(count), time: Number(calls.blockOf(block).timestamp) };
}
