import type { RpcAnswer } from '../json-rpc.ts';
import type { BroadcastResult, Signed } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';

/** Hands the bytes to the nodes. */
export async function broadcast({ rpc: send }: Ethereum, signed: readonly Signed[]): Promise<BroadcastResult[]> {
  const answers = await send(signed.map(({ bytes }) => rpc.sendRaw(bytes)));
  return answers.map(deliveryOf);
}

/** It has the transaction already; an `unknown transaction type` it has not. */
const KNOWN = /already (known|imported|exists|in (the )?(mempool|pool))|\bknown transaction|alreadyknown/i;
const NO_FUNDS = /insufficient ?(funds|balance)|doesn't have enough funds|upfront cost exceeds account balance/i;

/**
 * Clients word the same answer differently. Nothing here decides whether the transaction lives: receipts do.
 */
function deliveryOf(answer: RpcAnswer): BroadcastResult {
  if (!('error' in answer)) return { type: 'accepted' };
  const { message } = answer.error;
  if (KNOWN.test(message)) return { type: 'accepted' };
  if (NO_FUNDS.test(message)) return { type: 'no-funds' };
  return { type: 'refused', why: message };
}
