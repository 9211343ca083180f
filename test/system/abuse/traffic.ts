import { setTimeout as sleep } from 'node:timers/promises';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import type { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { Refused } from '../../../tools/localnet/partner/partner-client.ts';

/**
 * Requests per second of a hostile client: several times the number that the signer can sign. A deployment accepts more. Here
 * the nodes, the service and the clients share one machine, and an overloaded machine would delay all of them.
 */
const HOSTILE_RATE = 15;
const ORDINARY_EVERY_MS = 1_000;
const ACTIVE_WITHIN_MS = 120_000;

/** The number of replies to a client by kind: `202`, or the status and the code of a problem. */
export type Replies = ReadonlyMap<string, number>;

/** Requests passes at the hostile rate until the signal aborts. Counts the replies by kind. */
export async function issueAtFullRate(
  partner: LocalnetPartner,
  network: string,
  stopping: AbortSignal,
  replies: Map<string, number>,
): Promise<void> {
  const work = async () => {
    const reply = await partner.issue(network, freshWallet(network)).then(() => '202', replyOf);
    replies.set(reply, (replies.get(reply) ?? 0) + 1);
  };
  const requests: Promise<void>[] = [];
  while (!stopping.aborted) {
    requests.push(work());
    await sleep(1_000 / HOSTILE_RATE, undefined, { signal: stopping }).catch(() => undefined);
  }
  await Promise.all(requests);
}

function replyOf(fault: unknown): string {
  if (!(fault instanceof Refused)) return 'no answer';
  return `${fault.status} ${(fault.problem as { code?: string }).code ?? ''}`.trim();
}

/** Requests a pass every second. Resolves to the time until each pass was active, in milliseconds, in ascending order. */
export async function issueOrdinarily(
  partner: LocalnetPartner,
  network: string,
  stopping: AbortSignal,
): Promise<readonly number[]> {
  const times: Promise<number>[] = [];
  while (!stopping.aborted) {
    times.push(timeUntilActive(partner, network));
    await sleep(ORDINARY_EVERY_MS, undefined, { signal: stopping }).catch(() => undefined);
  }
  return (await Promise.all(times)).toSorted((a, b) => a - b);
}

async function timeUntilActive(partner: LocalnetPartner, network: string): Promise<number> {
  const wallet = freshWallet(network);
  const began = performance.now();
  await partner.issue(network, wallet);
  await partner.untilSettled(network, wallet, { withinMs: ACTIVE_WITHIN_MS });
  return performance.now() - began;
}

export function medianOf(sorted: readonly number[]): number {
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
