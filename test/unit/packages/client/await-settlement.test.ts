import { describe, expect, it } from 'vitest';
import { type AskForPass, awaitSettlement } from '../../../../packages/client/src/await-settlement.ts';
import { PassNotSettled } from '../../../../packages/client/src/errors.ts';
import type { Pass } from '../../../../packages/client/src/pass.ts';
import { rejectOnAbort } from '../../../../packages/client/src/time.ts';

const PASS = { id: 'a', walletAddress: 'any', state: 'REQUESTED' } as Pass;

/** Answers like the service: at once without a wait or for a settled pass, else at the end of the wait. */
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

describe('a time limit below the shortest wait', () => {
  it('ends in an error with the last known pass', async () => {
    const { ask, waits } = aService({ settled: false });
    const fault = await awaitSettlement(ask, ask, { withinMs: 300 }).catch((thrown) => thrown);
    expect(fault).toBeInstanceOf(PassNotSettled);
    expect(fault.pass).toBe(PASS);
    expect(waits).toEqual([undefined, 1]);
  });

  it('is enough for a pass that is already settled', async () => {
    const { ask } = aService({ settled: true });
    expect(await awaitSettlement(ask, ask, { withinMs: 300 })).toBe(PASS);
  });

  it('says in the error why the pass waits', () => {
    const waitsFor = { code: 'no_funds', detail: "The operator's account needs funds." };
    const { message } = new PassNotSettled({ ...PASS, waitsFor });
    expect(message).toBe(`${new PassNotSettled(PASS).message} (The operator's account needs funds.)`);
  });

  it('ends in an error without a pass if no answer comes', async () => {
    const ask: AskForPass = ({ signal }) => rejectOnAbort(new Promise(() => undefined), signal);
    const fault = await awaitSettlement(ask, ask, { withinMs: 50 }).catch((thrown) => thrown);
    expect(fault).toMatchObject({ name: 'PassNotSettled', pass: undefined });
  });
});
