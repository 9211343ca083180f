import { Refusal } from './refusal.ts';

/**
 * Passes calls of the page on to your node, so that its key stays here, and a node that allows no requests of other origins can be used.
 * Only the calls that read a pass: everybody can reach this server.
 */

/** The calls of the readers of `@gatepass/react`. */
const READS = ['eth_call', 'eth_getBlockByNumber', 'getMultipleAccounts'];
const CALLS_MAX_COUNT = 20;
const TIMEOUT_MS = 15_000;

export async function relayToNode(rpc: string, body: unknown): Promise<{ status: number; text: string }> {
  const calls = Array.isArray(body) ? body : [body];
  if (calls.length > CALLS_MAX_COUNT || !calls.every(isRead))
    throw new Refusal(403, 'method_refused', 'only calls that read a pass');
  try {
    const answer = await fetch(rpc, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: answer.status, text: await answer.text() };
  } catch {
    throw new Refusal(502, 'node_unreachable', 'the node does not answer');
  }
}

function isRead(call: unknown): boolean {
  const method = typeof call === 'object' && call !== null && 'method' in call ? call.method : undefined;
  return typeof method === 'string' && READS.includes(method);
}
