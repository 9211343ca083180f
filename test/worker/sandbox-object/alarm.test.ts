import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DAY_MS, DAY_SECONDS } from '../../../src/lib/time.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import type { PassName } from '../../../src/pass/pass.ts';
import { Simulation } from '../../../src/sandbox-object/simulation.ts';
import { aStep, FAST, type TestedSandbox, withSimulation } from './a-simulation.ts';

/** The alarm of a sandbox waits for its passes, and others call the sandbox meanwhile. */

beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterAll(() => void vi.useRealTimers());

const NAME = `sandbox/ethereum/sepolia/${FAST.ethereum}` as PassName;

/** Returns a simulation whose one pass does something while the alarm asks it. */
function withPass(
  { storage }: TestedSandbox,
  pass: { [method in 'inspect' | 'erase' | 'readOnChain']?: () => Promise<unknown> },
) {
  const PASSES = { getByName: () => pass } as unknown as Env['PASSES'];
  return new Simulation({ storage, id: {} as DurableObjectId }, { ...env, PASSES } as Env);
}

const namesIn = ({ storage }: TestedSandbox) => storage.sql.exec('SELECT name FROM pass').toArray();

it('a clock that advances while the passes learn of it has all of them learn again', () =>
  withSimulation(async (sandbox) => {
    const learned: number[] = [];
    const simulation = withPass(sandbox, {
      inspect: async () => {
        learned.push(simulation.secondsAhead());
        if (learned.length === 1) await simulation.advance(DAY_SECONDS);
        return {};
      },
    });
    await simulation.admit(NAME);
    await simulation.advance(60);
    for (let fired = 0; fired < 4; fired += 1) await simulation.fireAlarm();
    expect(learned).toEqual([60, DAY_SECONDS + 60]);
  }));

it('a pass that does not answer learns of a change by others later, however often the clock moves meanwhile', () =>
  withSimulation(async (sandbox) => {
    let asked = 0;
    const simulation = withPass(sandbox, {
      readOnChain: async () => {
        asked += 1;
        if (asked <= 20) throw new Error('the pass is busy');
      },
    });
    await simulation.changeByOthers({ chain: 'ethereum', network: 'sepolia' }, FAST.ethereum as Wallet, {
      kind: 'issue',
      expiry: undefined,
    });
    for (let fired = 0; fired < 30; fired += 1) {
      await simulation.advance(DAY_SECONDS);
      await simulation.fireAlarm();
    }
    expect(asked).toBe(21);
    expect(await sandbox.storage.getAlarm()).toBeNull();
  }));

it('a pass that is issued again while the old one is deleted stays in the list', () =>
  withSimulation(async (sandbox) => {
    const simulation = withPass(sandbox, { erase: () => simulation.admit(NAME) });
    await simulation.admit(NAME);
    sandbox.wait(30 * DAY_MS);
    await simulation.fireAlarm();
    expect(namesIn(sandbox)).toEqual([{ name: NAME }]);
  }));

it('a pass that is deleted leaves the list, and nothing of it stays', () =>
  withSimulation(async (sandbox) => {
    const simulation = withPass(sandbox, { erase: async () => true });
    await simulation.admit(NAME);
    await sandbox.send(aStep('ethereum', FAST.ethereum));
    sandbox.wait(30 * DAY_MS);
    await simulation.fireAlarm();
    expect(namesIn(sandbox)).toEqual([]);
    for (const table of ['token', 'script', 'event', 'sent'])
      expect([table, ...sandbox.storage.sql.exec(`SELECT * FROM ${table}`).toArray()]).toEqual([table]);
    // Its nonce stays used.
    expect(await sandbox.send(aStep('ethereum', FAST.ethereum))).toMatchObject({ nonce: 1 });
  }));
