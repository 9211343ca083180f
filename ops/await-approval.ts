import { setTimeout } from 'node:timers/promises';
import { Failure } from '../terminal/failure.ts';
import type { AdminCall } from './admin-api.ts';

/** The answer to a request that waits for a second person. */
export interface Waiting {
  readonly approval: { readonly id: string; readonly expires: number; readonly count: number };
}

interface Approvals {
  readonly approvals: readonly { readonly id: string; readonly confirmedBy?: object }[];
}

const POLL_MS = 3_000;

/** @param subject For example `3 passes wait`. */
export function waitingLine(subject: string, { approval: { id, expires } }: Waiting): string {
  const until = new Date(expires * 1000).toISOString();
  return `${subject} until ${until} for another person, who confirms ${id} in the console`;
}

/**
 * Sends the request of an approval once somebody has confirmed it. The console does an action as soon as it is confirmed there, and then
 * the approval is gone.
 * @param isDone Whether nothing is left to do.
 * @returns The answer; undefined if the console has done all of it. Throws Failure if the approval is gone and something is left.
 */
export async function sendApproved<T>(
  call: AdminCall,
  id: string,
  {
    send,
    isDone,
    left,
  }: { readonly send: () => Promise<T>; readonly isDone: () => Promise<boolean>; readonly left: string },
  pollMs = POLL_MS,
): Promise<T | undefined> {
  try {
    await untilConfirmed(call, id, left, pollMs);
    return await send();
  } catch (fault) {
    if (await isDone()) return undefined;
    throw fault;
  }
}

async function untilConfirmed(call: AdminCall, id: string, left: string, pollMs: number): Promise<void> {
  for (;;) {
    const { approvals } = await call<Approvals>('GET', '/admin/approvals');
    const approval = approvals.find((each) => each.id === id);
    if (approval === undefined)
      throw new Failure(
        `the approval ${id} is gone, and ${left}: it was rejected, has expired or is in work elsewhere`,
      );
    if (approval.confirmedBy !== undefined) return;
    await setTimeout(pollMs);
  }
}
