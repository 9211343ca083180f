import { describe, expect, it } from 'vitest';
import { type AskForPass, awaitSettlement } from '../../../client/src/await-settlement.ts';
import { PassNotSettled } from '../../../client/src/errors.ts';
import type { Pass } from '../../../client/src/pass.ts';
import { rejectOnAbort } from '../../../client/src/time.ts';

const PASS = { id: 'a', walletAddress: 'any', state: 'REQUESTED' } as Pass;

/** Answers as the service does: at once without a wait or for a settled pass, else when the wait is over. */
function aService({ settled }: { settled: boolean }) {
  const waits: (number | undefined)[] = [];
  const ask: AskForPass = async ({ wait, signal }) => {
    waits.push(wait);
    if (wait !== undefined && !settled) {
      await rejectOnAbort(new Promise((resolve) => setTimeout(resolve, wait * 1000)), signal);
    }
    return { pass: PASS, waitSeconds: wait };
  };
  return { ask, waits };
}

describe('a time limit that is shorter than the shortest wait', () => {
  it('ends with the pass as it was last seen', async () => {
    const { ask, waits } = aService({ settled: false });
    const fault = await awaitSettlement(ask, ask, { withinMs: 300 }).catch((thrown) => thrown);
    expect(fault).toBeInstanceOf(PassNotSettled);
    expect(fault.pass).toBe(PASS);
    expect(waits).toEqual([undefined, 1]);
  });

  it('is enough for a pass that has settled', async () => {
    const { ask } = aService({ settled: true });
    expect(await awaitSettlement(ask, ask, { withinMs: 300 })).toBe(PASS);
  });

  it('ends without a pass when no answer comes', async () => {
    const ask: AskForPass = ({ signal }) => rejectOnAbort(new Promise(() => undefined), signal);
    const fault = await awaitSettlement(ask, ask, { withinMs: 50 }).catch((thrown) => thrown);
    expect(fault).toMatchObject({ name: 'PassNotSettled', pass: undefined });
  });
});
