import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ChainPort, ReadyCall } from '../../../src/chain/port.ts';
import type { EnabledNetwork } from '../../../src/config/signers.ts';
import { secret } from '../../../src/lib/secret.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import * as ethereum from '../chain/ethereum/node.ts';
import * as solana from '../chain/solana/node.ts';
import { withSigner } from './with-signer.ts';

/**
 * Every batch asks for the chain (without batches, every group of calls does), and so does every signature. If an endpoint
 * serves another chain, from its first request or a later one, the signer signs nothing and uses no nonce.
 */

/** Ends the addresses of these endpoints, because objects of other files ask the same nodes. */
const OWN = '/?asked-by=wrong-chain';

/** The number of requests to each endpoint of this file. */
let asked: Map<string, number>;
/** The number of the first request for which an endpoint serves another chain. */
let strangeFrom: number;
/** Whether an endpoint served another chain before the broadcast, for which the signature exists. */
let wasStrangeBefore: boolean;
let wasBroadcast: boolean;

const BROADCAST = /"(eth_sendRawTransaction|sendTransaction)"/;

beforeEach(() => {
  asked = new Map();
  const real = globalThis.fetch;
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    if (!String(url).includes(OWN)) return real(url, init);
    const request = (asked.get(String(url)) ?? 0) + 1;
    asked.set(String(url), request);
    const response = await real(url, init);
    wasBroadcast ||= BROADCAST.test(String(init?.body));
    if (request < strangeFrom) return response;
    wasStrangeBefore ||= !wasBroadcast;
    const answers = [await response.json()].flat() as { id: number }[];
    // The first call of every request asks for the chain.
    return Response.json(answers.map((answer) => (answer.id === 0 ? { ...answer, result: '0x1' } : answer)));
  });
});

afterEach(async () => {
  vi.restoreAllMocks();
  await ethereum.mine(4);
});

describe.each([
  ['Ethereum', ethereum.sepolia, ethereum.aStep],
  ['Solana', solana.devnet, solana.aStep],
])('a signer on %s whose endpoint serves another chain', (chain, enabled, aStep) => {
  /** Returns the network with that many endpoints, all of which are its first one. */
  const withEndpoints = (on: EnabledNetwork, count: number): EnabledNetwork => ({
    ...on,
    endpoints: Array.from({ length: count }, (_, index) => secret(`${on.endpoints[0]?.()}${OWN}-${index}`)),
  });

  /** Returns a spy that records every requested signature. */
  function spyOnSigning(port: ChainPort) {
    const sign = vi.fn();
    const prepare = port.prepare;
    const heard = (result: ReadyCall): ReadyCall => ({
      ...result,
      sign: (nonce) => {
        sign(nonce);
        return result.sign(nonce);
      },
    });
    vi.spyOn(port, 'prepare').mockImplementation(async (requests, unmined) => {
      const { results, ...rest } = await prepare(requests, unmined);
      const spied = results.map(
        ([request, result]) => [request, result.type === 'ready' ? heard(result) : result] as const,
      );
      return { ...rest, results: spied };
    });
    return sign;
  }

  /** Sends a step. Returns its status, the fault, the number of requested signatures and the next nonce. */
  async function tried(name: string, on: EnabledNetwork) {
    const step = aStep();
    return withSigner(
      `${name} ${chain} ${strangeFrom}`,
      async (signer, { kv }) => {
        const sign = spyOnSigning(signer.chain);
        addSteps(signer, [step]);
        const fault = await sendWaiting(signer).then(
          () => undefined,
          (thrown: unknown) => String(thrown),
        );
        const status = signer.steps.answerFor(step.id)?.status;
        return { fault, signatures: sign.mock.calls.length, status, nextNonce: kv.get('nextNonce') };
      },
      { on },
    );
  }

  it.each([
    ['one endpoint', 1],
    ['several endpoints', 2],
  ])('signs nothing with %s as soon as a request reaches another chain', async (name, count) => {
    strangeFrom = Number.POSITIVE_INFINITY;
    const right = await tried(name, withEndpoints(enabled(), count));
    expect(right).toMatchObject({ fault: undefined, signatures: 1, status: { type: 'sent' } });
    // The number of requests before the broadcast differs: an endpoint may be at another block, or something is known already.
    for (strangeFrom = 1; ; strangeFrom += 1) {
      asked.clear();
      [wasBroadcast, wasStrangeBefore] = [false, false];
      const strange = await tried(name, withEndpoints(enabled(), count));
      if (!wasStrangeBefore) break;
      expect(strange, `from request ${strangeFrom} on`).toEqual({
        fault: expect.stringContaining('it serves another chain'),
        signatures: 0,
        status: { type: 'waiting' },
        nextNonce: undefined,
      });
    }
    expect(strangeFrom).toBeGreaterThan(2);
  });
});
