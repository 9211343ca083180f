import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import type { Signed } from '../../../src/chain/port.ts';
import { encodeBase58 } from '../../../src/lib/bytes.ts';
import { CHAINS } from '../../../src/network/networks.ts';
import type { Step } from '../../../src/pass/step.ts';
import { HISTORY_BLOCKS } from '../../../src/sandbox-object/blocks.ts';
import { aStep, type TestedSandbox, withSimulation } from './a-simulation.ts';

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

const BLOCK = 250;
const BATCH = 100;

const walletOf = (chain: string, index: number) =>
  chain === 'ethereum'
    ? `0x${'7'.repeat(34)}${String(index).padStart(6, '0')}`
    : encodeBase58(new Uint8Array(32).fill(9).map((each, at) => (at < 4 ? (index >> (8 * at)) & 255 : each)));

/** Sends a batch of issuances in one call, as a signer does. */
async function sendBatch(sandbox: TestedSandbox, steps: readonly Step[]) {
  const [{ key } = aStep('ethereum', '')] = steps;
  const port = sandbox.port(key.chain, key.network);
  const { results, nonces, lifetime } = await port.prepare(
    steps.map((step) => ({ step })),
    0,
  );
  const signed: { step: Step; signed: Signed; nonce: number | undefined }[] = [];
  for (const [{ step }, result] of results) {
    if (result.type !== 'ready') throw new Error(`not ready: ${JSON.stringify(result)}`);
    const nonce = nonces && (nonces.pending ?? 0) + signed.length;
    signed.push({ step, nonce, signed: await result.sign(nonce, lifetime) });
  }
  await port.broadcast(signed);
  return { port, signed };
}

describe.each(CHAINS)('on %s', (chain) => {
  it('every one of many passes is confirmed in the next block, and the number of open transactions stays small', () =>
    withSimulation(async (sandbox) => {
      const passes = inject('form') === 'long' ? 10_000 : 1_000;
      for (let from = 0; from < passes; from += BATCH) {
        const steps = Array.from({ length: BATCH }, (_, index) => aStep(chain, walletOf(chain, from + index)));
        const { port, signed } = await sendBatch(sandbox, steps);
        sandbox.wait(BLOCK);
        const tracked = await port.track(
          signed.map(({ step, nonce, signed: { identifier } }) => ({
            ...{ step, nonce, signedAtMs: 0 },
            identifiers: [identifier],
          })),
        );
        expect(new Set(tracked.map(([, { type }]) => type))).toEqual(new Set(['confirmed']));
      }
      const { sql } = sandbox.storage;
      const open = sql.exec('SELECT 1 FROM sent WHERE is_open = 1').toArray().length;
      expect(open).toBeLessThanOrEqual(BATCH * (HISTORY_BLOCKS + 1));
      expect(sql.exec('SELECT 1 FROM token').toArray().length).toBe(passes);
    }));

  it('calls of several signers at once share neither a nonce nor a token', () =>
    withSimulation(async (sandbox) => {
      const networks = chain === 'ethereum' ? ['sepolia', 'mainnet', 'baseMainnet'] : ['devnet', 'mainnet-beta'];
      const steps = networks.map((network) => {
        const step = aStep(chain, walletOf(chain, 1));
        return { ...step, key: { ...step.key, network } };
      });
      const sent = await Promise.all(steps.map((step) => sandbox.send(step)));
      expect(new Set(sent.map(({ identifier }) => identifier)).size).toBe(networks.length);
      sandbox.wait(BLOCK);
      const statuses = await Promise.all(
        steps.map((step, index) => sandbox.track(step, sent[index] as (typeof sent)[0])),
      );
      expect(statuses.map((status) => status?.type)).toEqual(networks.map(() => 'confirmed'));
    }));
});
