import { Failure } from '../../terminal/failure.ts';
import type { AdminCall } from '../admin-api.ts';
import { sendApproved, type Waiting, waitingLine } from '../await-approval.ts';

const COUNTS = ['revoked', 'alreadyRevoked', 'skipped', 'failed'] as const;

interface Counted {
  readonly network: string;
  readonly state: string;
  readonly count: number;
}

type Slice = Readonly<Record<(typeof COUNTS)[number], number>> & {
  readonly passes: readonly Counted[];
  readonly next: string | null;
};

const PATH = '/admin/revocations';

/**
 * Sends each request until it is done, and waits for a second person where the service demands one. Returns the lines of the
 * result. Throws Failure if passes are left, because they could not be revoked or nobody confirmed that. A request that is sent
 * again counts what is revoked already.
 * @param say Called with a line of progress.
 */
export async function revoke(
  call: AdminCall,
  bodies: readonly object[],
  say: (line: string) => void,
  pollMs?: number,
): Promise<string[]> {
  const sum: Record<string, number> = Object.fromEntries(COUNTS.map((name) => [name, 0]));
  const states = new Map<string, number>();
  const add = (slice: Slice) => {
    for (const name of COUNTS) sum[name] = (sum[name] ?? 0) + slice[name];
    for (const { network, state, count } of slice.passes) {
      const name = `${network}: ${state === 'NONE' ? 'without a pass' : state}`;
      states.set(name, (states.get(name) ?? 0) + count);
    }
    say(COUNTS.map((name) => `${WORDS[name]} ${sum[name]}`).join(', '));
  };
  const waiting: { readonly body: object; readonly id: string }[] = [];
  for (const body of bodies) {
    const first = await call<Slice | Waiting>('POST', PATH, body);
    if ('approval' in first) {
      const { id, count } = first.approval;
      say(waitingLine(`${count} passes wait`, first));
      waiting.push({ body, id });
    } else await finish(call, body, first, add);
  }
  for (const { body, id } of waiting) {
    const approved = { ...body, approval: id };
    const send = async () => {
      await finish(call, approved, await call<Slice>('POST', PATH, approved), add);
      return true;
    };
    const isDone = async () => (await countLeft(call, body)) === 0;
    const sent = await sendApproved(call, id, { send, isDone, left: 'passes are left' }, pollMs);
    if (sent === undefined) say(`${id} is done in the console`);
  }
  const lines = [...states].map(([name, count]) => `${name} ${count}`);
  if (sum.failed) throw new Failure(`${sum.failed} passes could not be revoked: run the same command again`);
  return lines;
}

const WORDS = {
  revoked: 'revoked',
  alreadyRevoked: 'revoked before',
  skipped: 'left alone',
  failed: 'failed',
} as const;

/** Continues a request until its last slice, and adds each slice. */
async function finish(call: AdminCall, body: object, first: Slice, add: (slice: Slice) => void): Promise<void> {
  add(first);
  for (let { next } = first; next !== null; ) {
    const slice = await call<Slice>('POST', PATH, { ...body, after: next });
    add(slice);
    next = slice.next;
  }
}

/** Returns how many passes of a request are left to revoke. */
async function countLeft(call: AdminCall, request: object): Promise<number> {
  const body = { ...request, dryRun: true };
  let left = 0;
  const add = ({ revoked, failed }: Slice) => {
    left += revoked + failed;
  };
  await finish(call, body, await call<Slice>('POST', PATH, body), add);
  return left;
}
