import type { RpcAnswer, RpcCall } from './rpc-fault.ts';

/** Asks a node, in one batch; answers in the order of the calls, with numbers of 64 bits as they came. */
export async function askNode(url: string, calls: readonly RpcCall[]): Promise<RpcAnswer[]> {
  if (calls.length === 0) return [];
  const { text } = await postTo(url, json(calls.map((call) => ({ jsonrpc: '2.0', ...call }))));
  const byId = new Map((parsed(text) as RpcAnswer[]).map((answer) => [answer.id, answer]));
  return calls.map(({ id }) => byId.get(id) as RpcAnswer);
}

/** Passes a body on as it is, and gives the answer as it came. */
export async function postTo(url: string, body: string): Promise<{ status: number; text: string }> {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return { status: response.status, text: await response.text() };
}

/** `JSON` of Node, whose types do not know yet how numbers keep their digits. */
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, revive: (key: string, value: unknown, from: { source?: string }) => unknown): unknown;
  rawJSON(text: string): unknown;
};

export function parsed(text: string): unknown {
  return parse(text, (_, value, { source }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value) && source !== undefined
      ? rawJSON(source)
      : value,
  );
}

export function json(value: unknown): string {
  return JSON.stringify(value);
}
