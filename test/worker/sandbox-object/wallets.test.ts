import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Chain } from '../../../src/network/network.ts';
import { CHAINS } from '../../../src/network/networks.ts';
import { type SandboxCase, sandboxWallet } from '../../../src/network/sandbox.ts';
import { aStep, FAST, type TestedSandbox, withSimulation } from './a-simulation.ts';

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

const SECOND = 1_000;
const BLOCK = 250;

const stepFor = (chain: Chain, name: SandboxCase) => aStep(chain, sandboxWallet(name, chain));

/** Sends the issuance, and waits for the first block. */
async function issue(sandbox: TestedSandbox, chain: Chain, name: SandboxCase) {
  const step = stepFor(chain, name);
  const sent = await sandbox.send(step);
  sandbox.wait(BLOCK);
  return { step, sent, status: await sandbox.track(step, sent) };
}

/** Returns where a confirmed transaction is included. */
function placeIn(status: unknown) {
  expect(status).toMatchObject({ type: 'confirmed' });
  return (status as { includedIn: { block: number; hash?: string } }).includedIn;
}

/** Lets a reorg begin that is due, or lets its transaction come back. Without a pass, nobody has to record anything first. */
async function continueReorg(sandbox: TestedSandbox) {
  await sandbox.simulation.fireAlarm();
  sandbox.wait(BLOCK);
}

const stateOf = async (sandbox: TestedSandbox, chain: Chain, name: SandboxCase) =>
  (await sandbox.observe(stepFor(chain, name)))?.confirmed;

describe.each(CHAINS)('on %s', (chain) => {
  it('"takes-a-minute" is confirmed after a minute, and holds up no other wallet', () =>
    withSimulation(async (sandbox) => {
      const { step, sent, status } = await issue(sandbox, chain, 'takes-a-minute');
      expect(status).toEqual({ type: 'unconfirmed' });
      const other = aStep(chain, FAST[chain]);
      const second = await sandbox.send(other);
      sandbox.wait(BLOCK);
      expect(await sandbox.track(other, second)).toMatchObject({ type: 'confirmed' });
      sandbox.wait(60 * SECOND - 2 * BLOCK);
      expect(await sandbox.track(step, sent)).toEqual({ type: 'unconfirmed' });
      expect(await stateOf(sandbox, chain, 'takes-a-minute')).toMatchObject({ state: 'NONE' });
      sandbox.wait(2 * BLOCK);
      expect(await sandbox.track(step, sent)).toMatchObject({ type: 'confirmed' });
      expect(await stateOf(sandbox, chain, 'takes-a-minute')).toMatchObject({ state: 'ACTIVE' });
    }));

  it('"rejected" is refused permanently', () =>
    withSimulation(async (sandbox) => {
      expect(await sandbox.prepare(stepFor(chain, 'rejected'))).toMatchObject({ type: 'refused' });
    }));

  it.each(['never-funded', 'node-away'] as const)('"%s" waits alone, with the reason of a real chain', (name) =>
    withSimulation(async (sandbox) => {
      const code = name === 'node-away' ? 'nodes-unanswered' : 'no-funds';
      expect(await sandbox.prepare(stepFor(chain, name))).toMatchObject({ type: 'not-now', code, blocks: 'step' });
      sandbox.wait(3_600 * SECOND);
      expect(await sandbox.prepare(stepFor(chain, name))).toMatchObject({ code });
      expect(await sandbox.prepare(aStep(chain, FAST[chain]))).toMatchObject({ type: 'ready' });
    }),
  );

  it('"reorged" leaves the chain after its confirmation, and comes back in another block', () =>
    withSimulation(async (sandbox) => {
      const { step, sent, status } = await issue(sandbox, chain, 'reorged');
      const first = placeIn(status);
      // Long before the reorg, and long after the block of another wallet would be final.
      sandbox.wait(7 * BLOCK);
      expect(await sandbox.track(step, sent, first)).toEqual({ type: 'still-included' });
      expect((await sandbox.observe(step))?.final).toMatchObject({ state: 'NONE' });
      sandbox.wait(BLOCK);
      await continueReorg(sandbox);
      expect(await sandbox.track(step, sent, first)).toEqual({ type: 'unconfirmed' });
      expect(await stateOf(sandbox, chain, 'reorged')).toMatchObject({ state: 'NONE' });
      await continueReorg(sandbox);
      const second = placeIn(await sandbox.track(step, sent));
      expect(second).not.toEqual(first);
      sandbox.wait(SECOND);
      expect(await sandbox.track(step, sent, second)).toMatchObject({ type: 'final' });
      sandbox.wait(3_600 * SECOND);
      expect(await sandbox.track(step, sent, second)).toMatchObject({ type: 'final' });
    }));

  it('"reorged-and-dropped" leaves the chain, never comes back, and is issued by another transaction', () =>
    withSimulation(async (sandbox) => {
      const { step, sent, status } = await issue(sandbox, chain, 'reorged-and-dropped');
      const first = placeIn(status);
      sandbox.wait(8 * BLOCK);
      await continueReorg(sandbox);
      expect(await sandbox.track(step, sent, first)).toEqual({ type: 'unconfirmed' });
      await sandbox.port(chain).broadcast([{ signed: sent }]);
      sandbox.wait(20 * SECOND);
      expect(await sandbox.track(step, sent)).toMatchObject({ type: 'expired' });
      expect(await stateOf(sandbox, chain, 'reorged-and-dropped')).toMatchObject({ state: 'NONE' });
      const again = await sandbox.send(step);
      expect(again.identifier).not.toBe(sent.identifier);
      sandbox.wait(BLOCK);
      const second = placeIn(await sandbox.track(step, again));
      sandbox.wait(60 * SECOND);
      expect(await sandbox.track(step, again, second)).toMatchObject({ type: 'final' });
    }));

  it('a reorg of one wallet leaves the other wallets of its blocks alone', () =>
    withSimulation(async (sandbox) => {
      const { step, sent, status } = await issue(sandbox, chain, 'reorged');
      const other = aStep(chain, FAST[chain]);
      const second = await sandbox.send(other);
      sandbox.wait(BLOCK);
      const place = placeIn(await sandbox.track(other, second));
      sandbox.wait(8 * BLOCK);
      await continueReorg(sandbox);
      expect(await sandbox.track(step, sent, placeIn(status))).toEqual({ type: 'unconfirmed' });
      expect(await sandbox.track(other, second, place)).toMatchObject({ type: 'final' });
      await continueReorg(sandbox);
      placeIn(await sandbox.track(step, sent));
    }));

  it('the clock may move in the middle of a reorg', () =>
    withSimulation(async (sandbox) => {
      const { step, sent, status } = await issue(sandbox, chain, 'reorged');
      await sandbox.simulation.advance(8 * 86_400);
      expect(await sandbox.track(step, sent, placeIn(status))).toEqual({ type: 'still-included' });
      await continueReorg(sandbox);
      await sandbox.simulation.advance(8 * 86_400);
      expect(await sandbox.track(step, sent, placeIn(status))).toEqual({ type: 'unconfirmed' });
      await continueReorg(sandbox);
      await sandbox.simulation.advance(8 * 86_400);
      const place = placeIn(await sandbox.track(step, sent));
      expect(await sandbox.track(step, sent, place)).toMatchObject({ type: 'final' });
    }));

  it.each([
    ['revoked', 'REVOKED'],
    ['frozen', 'FROZEN'],
  ] as const)('"%s" is ACTIVE for 30 seconds, and then others change it', (name, state) =>
    withSimulation(async (sandbox) => {
      await issue(sandbox, chain, name);
      sandbox.wait(30 * SECOND - BLOCK);
      expect(await stateOf(sandbox, chain, name)).toMatchObject({ state: 'ACTIVE' });
      sandbox.wait(BLOCK);
      expect(await sandbox.observe(stepFor(chain, name))).toMatchObject({
        confirmed: { state },
        final: { state: 'ACTIVE' },
      });
      sandbox.wait(SECOND);
      expect(await sandbox.observe(stepFor(chain, name))).toMatchObject({ final: { state } });
    }),
  );

  it('"adopted" has a token of others from the beginning, and needs no transaction', () =>
    withSimulation(async (sandbox) => {
      const found = await sandbox.prepare(stepFor(chain, 'adopted'));
      expect(found).toMatchObject({ type: 'found', onChain: { state: 'ACTIVE' } });
      if (found.type === 'found') expect(found.onChain.foreign).toBe(chain === 'solana' ? true : undefined);
      const step = { ...stepFor(chain, 'adopted'), kind: 'revoke' } as const;
      const sent = await sandbox.send(step);
      sandbox.wait(BLOCK);
      placeIn(await sandbox.track(step, sent));
      expect(await stateOf(sandbox, chain, 'adopted')).toMatchObject({ state: 'REVOKED' });
    }));

  it('any wallet can be given a script', () =>
    withSimulation(async (sandbox) => {
      const step = aStep(chain, FAST[chain]);
      const { key } = step;
      await sandbox.simulation.assign(key, key.wallet, { refuses: 'issue' });
      expect(await sandbox.prepare(step)).toMatchObject({ type: 'refused' });
      await sandbox.simulation.assign(key, key.wallet, { refuses: 'change' });
      await sandbox.send(step);
      sandbox.wait(2 * SECOND);
      expect(await sandbox.prepare({ ...step, kind: 'freeze' })).toMatchObject({ type: 'refused' });
      await sandbox.simulation.assign(key, key.wallet, {});
      expect(await sandbox.prepare({ ...step, kind: 'freeze' })).toMatchObject({ type: 'ready' });
    }));
});
