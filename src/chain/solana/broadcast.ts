import type { RpcAnswer } from '../json-rpc.ts';
import type { BroadcastResult, Signed } from '../port.ts';
import type { Solana } from './adapter.ts';
import { lacksFunds, nameOf } from './refusal.ts';

/** The look has tried the calls already, and what the node does not repeat, the signer does. */
const OPTIONS = { encoding: 'base64', skipPreflight: true, maxRetries: 0 } as const;

/** Hands the bytes to the nodes. */
export async function broadcast({ send }: Solana, signed: readonly Signed[]): Promise<BroadcastResult[]> {
  const answers = await send(signed.map(({ bytes }) => ({ method: 'sendTransaction', params: [bytes, OPTIONS] })));
  return answers.map(deliveryOf);
}

/** Some nodes try a transaction whatever they are told. Nothing here decides whether it lives: its status does. */
function deliveryOf(answer: RpcAnswer): BroadcastResult {
  if (!('error' in answer)) return { type: 'accepted' };
  const { message, data } = answer.error;
  const { err } = Object(data) as { err?: unknown };
  if (nameOf(err) === 'AlreadyProcessed') return { type: 'accepted' };
  return lacksFunds(err) ? { type: 'no-funds' } : { type: 'refused', why: message };
}
