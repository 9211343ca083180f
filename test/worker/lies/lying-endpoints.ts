import { base64 } from '@scure/base';
import { getBase58Decoder } from '@solana/kit';
import { keccak256 } from 'viem/utils';
import { vi } from 'vitest';
import { answerWithLies, askWithLies, type Lie, type LiedCall, type Said } from '../../lies/lie.ts';

/** An endpoint in front of a node. Its answers may be lies. */
export interface LyingEndpoint {
  /** URL of the node behind it. */
  readonly node: string;
  /** Its current lies. */
  lies(): readonly Lie<unknown>[];
  readonly scene: unknown;
  /** Translates times between the test and the node. */
  readonly clock: NodeClock;
}

/** Overrides of a node for the simulated time of a test. */
export interface NodeClock {
  askNode(call: LiedCall): LiedCall;
  answerForNode(call: LiedCall, truth: unknown): unknown;
}

const endpoints = new Map<string, LyingEndpoint>();

/** Returns the URL of a new endpoint; it exists only for the code under test. */
export function openEndpoint(endpoint: LyingEndpoint): string {
  const host = `endpoint-${endpoints.size}.test`;
  endpoints.set(host, endpoint);
  return `http://${host}/`;
}

/** Lets requests to these endpoints reach their nodes from now on. */
export function serveEndpoints(): void {
  const real = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const endpoint = endpoints.get(new URL(String(input)).hostname);
    return endpoint === undefined ? real(input, init) : answer(endpoint, init, real);
  });
}

async function answer(endpoint: LyingEndpoint, init: RequestInit | undefined, real: typeof fetch): Promise<Response> {
  const asked = JSON.parse(String(init?.body)) as LiedCall | LiedCall[];
  const calls = [asked].flat();
  const lies = endpoint.lies();
  const swallows = lies.some(({ swallowsSends }) => swallowsSends);
  const forwarded = calls
    .filter((call) => !(swallows && isSend(call)))
    .map((call) => endpoint.clock.askNode(askWithLies(lies, call)));
  const answers = forwarded.length === 0 ? [] : await forward(endpoint.node, forwarded, init, real);
  const byId = new Map(answers.map((each) => [each.id, each]));
  const said = calls.map((call) => {
    const truth = atTestTime(endpoint, call, byId.get(call.id) ?? { result: identifierOf(call) });
    return { jsonrpc: '2.0', id: call.id, ...answerWithLies(lies, call, truth, endpoint.scene) };
  });
  return Response.json(Array.isArray(asked) ? said : said[0]);
}

async function forward(node: string, calls: readonly LiedCall[], init: RequestInit | undefined, real: typeof fetch) {
  const response = await real(node, { ...init, body: JSON.stringify(calls) });
  return (await response.json()) as (Said & { id: unknown })[];
}

function atTestTime({ clock }: LyingEndpoint, call: LiedCall, truth: Said): Said {
  return 'result' in truth ? { result: clock.answerForNode(call, truth.result) } : { error: truth.error };
}

function isSend({ method }: LiedCall): boolean {
  return method === 'eth_sendRawTransaction' || method === 'sendTransaction';
}

/** A node's answer to an accepted transaction. */
function identifierOf({ method, params: [bytes] }: LiedCall): string {
  if (method === 'eth_sendRawTransaction') return keccak256(bytes as `0x${string}`);
  return getBase58Decoder().decode(base64.decode(bytes as string).subarray(1, 65));
}
