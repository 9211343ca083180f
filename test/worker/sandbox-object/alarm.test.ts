import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { DAY_MS, DAY_SECONDS, MINUTE_MS, SECOND_MS } from '../../../src/lib/units.ts';
import { CLOCK_STEPS_PER_MINUTE } from '../../../src/network/sandbox.ts';
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
  pass: { [method in 'inspect' | 'standing' | 'erase' | 'readOnChain']?: () => Promise<unknown> },
) {
  const PASSES = { getByName: () => pass } as unknown as Env['PASSES'];
  return new Simulation({ storage, id: {} as DurableObjectId }, { ...env, PASSES, EXPIRY_NOTICE_DAYS: '7' } as Env);
}

const namesIn = ({ storage }: TestedSandbox) => storage.sql.exec('SELECT name FROM pass').toArray();

it('a clock that advances while passes learn of it has each pass learn of its own dates', () =>
  withSimulation(async (sandbox) => {
    const expiry = Math.floor(Date.now() / 1000) + 10 * DAY_SECONDS;
    const learned: number[] = [];
    const simulation = withPass(sandbox, {
      inspect: async () => {
        learned.push(simulation.secondsAhead());
        if (learned.length === 1) await simulation.advance(9 * DAY_SECONDS);
        return {};
      },
    });
    await sandbox.send(aStep('ethereum', FAST.ethereum, { expiry }));
    sandbox.wait(SECOND_MS);
    await sandbox.observe(aStep('ethereum', FAST.ethereum));
    await simulation.advance(4 * DAY_SECONDS);
    for (let fired = 0; fired < 4; fired += 1) await simulation.fireAlarm();
    // First the notice, seven days before, and then the expiry.
    expect(learned).toEqual([4 * DAY_SECONDS, 13 * DAY_SECONDS]);
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
      sandbox.wait(MINUTE_MS / CLOCK_STEPS_PER_MINUTE);
      expect(await simulation.advance(DAY_SECONDS)).toBe((fired + 1) * DAY_SECONDS);
      await simulation.fireAlarm();
    }
    expect(asked).toBe(21);
    expect(await sandbox.storage.getAlarm()).toBeNull();
  }));

it('a pass that is issued again while the old one is deleted stays in the list', () =>
  withSimulation(async (sandbox) => {
    const simulation = withPass(sandbox, { standing: async () => undefined, erase: () => simulation.admit(NAME) });
    await simulation.admit(NAME);
    sandbox.wait(30 * DAY_MS);
    await simulation.fireAlarm();
    expect(namesIn(sandbox)).toEqual([{ name: NAME }]);
  }));

it('a pass that is deleted leaves the list, and nothing of it stays', () =>
  withSimulation(async (sandbox) => {
    const simulation = withPass(sandbox, { standing: async () => undefined, erase: async () => true });
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
