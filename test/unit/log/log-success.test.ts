import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { logSampled } from '../../../src/log/log.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { logStep } from '../../../src/pass-object/pass-signer.ts';
import { anEnvironment } from '../config/environments.ts';
import { aPass, STEP_ID, TRANSACTION } from '../pass/a-pass.ts';

const printed: Record<string, unknown>[] = [];
for (const method of ['log', 'error'] as const) {
  vi.spyOn(console, method).mockImplementation((line) => void printed.push(JSON.parse(line)));
}
beforeEach(() => void printed.splice(0));

describe('logSampled', () => {
  it.each([
    ['pass', uuidv7],
    ['request', () => crypto.randomUUID()],
  ])('logs a twentieth of the lines by %s id and names that share in each line', (_, newId) => {
    for (let count = 0; count < 20_000; count += 1) logSampled('pass.step_sent', newId(), 0.05, {});
    // Six standard deviations around a twentieth.
    expect(printed.length).toBeGreaterThan(1_000 - 185);
    expect(printed.length).toBeLessThan(1_000 + 185);
    expect(new Set(printed.map(({ share }) => share))).toEqual(new Set([0.05]));
  });

  it('logs either every line of an id or none', () => {
    const ids = Array.from({ length: 100 }, () => uuidv7());
    const events = ['pass.step_sent', 'pass.step_confirmed', 'pass.step_confirmed'] as const;
    for (const event of events) for (const id of ids) logSampled(event, id, 0.5, { id });
    const counts = Object.values(Object.groupBy(printed, ({ id }) => String(id))).map((lines) => lines?.length);
    expect(new Set(counts)).toEqual(new Set([3]));
    expect(counts.length).toBeLessThan(ids.length);
  });

  it.each(['00000000', 'ffffffff'])(
    'logs every line for the share 1 and none for the share 0, also for an id that ends in %s',
    (end) => {
      logSampled('pass.step_sent', `019f0000-0000-7000-8000-0000${end}`, 1, { pass: 'a' });
      logSampled('pass.step_confirmed', `019f0000-0000-7000-8000-0000${end}`, 0, { pass: 'a' });
      expect(printed).toEqual([{ event: 'pass.step_sent', pass: 'a' }]);
    },
  );
});

describe('logStep', () => {
  const logsLine = (status: StepStatus, variables: object) => {
    logStep(aPass({ step: {} }), { step: STEP_ID, revision: 1, status }, undefined, variables as Env);
    return printed.length === 1;
  };

  it.each<StepStatus>([
    { type: 'sent', transaction: TRANSACTION },
    { type: 'confirmed', transaction: TRANSACTION, onChain: { state: 'ACTIVE' } },
  ])('logs no line for a $type step if successes are not logged', (status) => {
    expect(logsLine(status, anEnvironment({ LOG_SUCCESSES: '0' }))).toBe(false);
  });

  it.each<StepStatus>([
    { type: 'vanished', transaction: TRANSACTION },
    { type: 'found', onChain: { state: 'ACTIVE' } },
    { type: 'withdrawn' },
    { type: 'failed', reason: 'the contract refuses it' },
  ])('logs a line for a $type step even if successes are not logged', (status) => {
    expect(logsLine(status, anEnvironment({ LOG_SUCCESSES: '0' }))).toBe(true);
  });

  it('logs every line while the configuration is invalid', () => {
    expect(logsLine({ type: 'sent', transaction: TRANSACTION }, anEnvironment({ LOG_SUCCESSES: 'few' }))).toBe(true);
  });
});
