import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openSandboxChain } from '../../../src/chain/sandbox/sandbox-chain.ts';
import type { Network } from '../../../src/network/network.ts';
import { CHAINS, NETWORKS } from '../../../src/network/networks.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { aStep, BEGAN, FAST, NETWORK_OF, withSimulation } from './a-simulation.ts';

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

const SECOND = 1_000;
const FORM = { ethereum: /^0x[0-9a-f]{64}$/, solana: /^[1-9A-HJ-NP-Za-km-z]{80,88}$/ };

describe.each(CHAINS)('on %s', (chain) => {
  it('a pass is confirmed a block after its broadcast, and final within a second more', () =>
    withSimulation(async (sandbox) => {
      const step = aStep(chain, FAST[chain]);
      const sent = await sandbox.send(step);
      expect(sent.identifier).toMatch(FORM[chain]);
      expect(await sandbox.track(step, sent)).toEqual({ type: 'unconfirmed' });
      sandbox.wait(250);
      const confirmed = await sandbox.track(step, sent);
      expect(confirmed).toMatchObject({ type: 'confirmed', identifier: sent.identifier });
      const { includedIn } = confirmed as { includedIn: { block: number } };
      expect(await sandbox.track(step, sent, includedIn)).toEqual({ type: 'still-included' });
      sandbox.wait(SECOND);
      expect(await sandbox.track(step, sent, includedIn)).toMatchObject({ type: 'final' });
      expect(await sandbox.observe(step)).toMatchObject({ confirmed: { state: 'ACTIVE' }, final: { state: 'ACTIVE' } });
    }));

  it('the same call signs to the same transaction, and another network to another one', () =>
    withSimulation(async (sandbox) => {
      const step = aStep(chain, FAST[chain]);
      const [first, second] = [await sandbox.prepare(step), await sandbox.prepare(step)];
      if (first.type !== 'ready' || second.type !== 'ready') throw new Error('not ready');
      const nonce = chain === 'ethereum' ? 0 : undefined;
      expect(await second.sign(nonce)).toEqual(await first.sign(nonce));
      const network = chain === 'ethereum' ? 'mainnet' : 'mainnet-beta';
      const elsewhere = await sandbox.prepare({ ...step, key: { ...step.key, network } });
      if (elsewhere.type !== 'ready') throw new Error('not ready');
      expect((await elsewhere.sign(nonce)).identifier).not.toBe((await first.sign(nonce)).identifier);
    }));

  it('a node refuses bytes whose identifier is not their hash, bytes of another network, and long bytes', () =>
    withSimulation(async (sandbox) => {
      const { nonce: _, ...signed } = await sandbox.send(aStep(chain, FAST[chain]));
      const { bytes } = signed;
      const long = { ...signed, bytes: bytes.padEnd(100_000, ' ') };
      for (const each of [{ ...signed, identifier: '0x00' }, long])
        expect(await sandbox.port(chain).broadcast([{ signed: each }])).toMatchObject([
          [{}, { type: 'not-now', code: 'broadcast-refused' }],
        ]);
      const elsewhere = sandbox.port(chain, chain === 'ethereum' ? 'mainnet' : 'mainnet-beta');
      expect(await elsewhere.broadcast([{ signed }])).toMatchObject([[{}, { code: 'broadcast-refused' }]]);
    }));

  it('an unknown network is a fault of the node', () =>
    withSimulation(async (sandbox) => {
      await expect(sandbox.port(chain, 'atlantis').account()).rejects.toMatchObject({ name: 'RpcFault' });
      await expect(sandbox.port(chain, '__proto__').account()).rejects.toMatchObject({ name: 'RpcFault' });
    }));
});

it('the networks of a sandbox have their own tokens and nonces', () =>
  withSimulation(async (sandbox) => {
    const step = aStep('ethereum', FAST.ethereum);
    await sandbox.send(step);
    sandbox.wait(SECOND);
    const [sepolia, mainnet] = [sandbox.port('ethereum'), sandbox.port('ethereum', 'mainnet')];
    expect(await sepolia.account()).toMatchObject({ nonces: { latest: 1, pending: 1 } });
    expect(await mainnet.account()).toMatchObject({ nonces: { latest: 0, pending: 0 } });
    const question = { ...step, key: { ...step.key, network: 'mainnet' } };
    expect(await mainnet.read([question])).toMatchObject([[{}, { type: 'read', onChain: { state: 'NONE' } }]]);
  }));

describe('the clock', () => {
  it('goes only forward, and at most 400 days', () =>
    withSimulation(async ({ simulation }) => {
      expect(await simulation.advance(60)).toBe(60);
      for (const seconds of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 400 * 86_400 - 59, Number.MAX_SAFE_INTEGER])
        expect(await simulation.advance(seconds)).toBeUndefined();
      expect(simulation.secondsAhead()).toBe(60);
      expect(await simulation.advance(400 * 86_400 - 60)).toBe(400 * 86_400);
    }));

  it('moves the time of the blocks', () =>
    withSimulation(async (sandbox) => {
      const before = await sandbox.port('ethereum').finalNonce();
      await sandbox.simulation.advance(86_400);
      const after = await sandbox.port('ethereum').finalNonce();
      expect(before?.time).toBe(BEGAN / SECOND - 1);
      expect(after?.time).toBe(BEGAN / SECOND - 1 + 86_400);
    }));
});

it('a sandbox without work writes no row', () =>
  withSimulation(async (sandbox) => {
    const port = sandbox.port('ethereum', NETWORK_OF.ethereum);
    await port.account();
    const { sql } = sandbox.storage;
    const written = () => sql.exec('SELECT total_changes() AS n').one().n;
    const before = written();
    sandbox.wait(3_600_000);
    await port.account();
    await port.read([aStep('ethereum', FAST.ethereum)]);
    expect(written()).toBe(before);
  }));

it.each(CHAINS)('the port of %s asks the object of the sandbox, which loads the simulation', async (chain) => {
  const network = NETWORKS.find((row) => row.chain === chain) as Network;
  const port = openSandboxChain(network, newSandbox(), env);
  const { balance, nonces } = await port.account();
  expect(balance).toBeGreaterThan(0n);
  expect(nonces).toEqual(chain === 'ethereum' ? { latest: 0, pending: 0 } : undefined);
  const step = aStep(chain, FAST[chain], {});
  const { results, lifetime } = await port.prepare(
    [{ step: { ...step, key: { ...step.key, network: network.network } } }],
    0,
  );
  expect(results).toMatchObject([[{}, { type: 'ready', expectedOnChain: { state: 'ACTIVE' } }]]);
  expect(lifetime === undefined).toBe(chain === 'ethereum');
  const nowhere = openSandboxChain({ ...network, network: 'atlantis' }, newSandbox(), env);
  await expect(nowhere.account()).rejects.toMatchObject({ name: 'RpcFault' });
});
