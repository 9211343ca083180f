import { setTimeout as sleep } from 'node:timers/promises';
import { type BlockRange, FIRST_RANGE, growRange, LogsRefused, shrinkRange } from '../../src/chain/ethereum/logs.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { backoff } from '../../src/lib/units.ts';
import { Failure } from '../../terminal/failure.ts';
import { isPermanent, type Retried } from './retry.ts';

const PAUSE_MAX_MS = 5_000;

/**
 * Reads consecutive ranges of blocks, in order. Their size follows the limits of the provider. Throws Failure if the reading of a
 * single block fails too.
 * @param remedy The operator's way out, for the Failure.
 */
export async function* walkRanges<T>(
  source: Retried,
  { from, to }: BlockRange,
  read: (range: BlockRange) => Promise<T>,
  remedy = 'use another provider, or read without logs with --by-index',
): AsyncGenerator<BlockRange & { readonly value: T }> {
  let size = FIRST_RANGE;
  let refusals = 0;
  for (let next = from; next <= to; ) {
    const range = { from: next, to: Math.min(to, next + size.blocks - 1) };
    try {
      yield { ...range, value: await read(range) };
      next = range.to + 1;
      size = growRange(size);
      refusals = 0;
    } catch (fault) {
      if (!(fault instanceof RpcFault)) throw fault;
      const hasNoLogs = fault instanceof LogsRefused && fault.hasNoLogs;
      const smaller = isPermanent(fault) || hasNoLogs ? undefined : shrinkRange(range.to - range.from + 1);
      if (smaller === undefined) throw new Failure(explain(source, range.from, fault, remedy));
      size = smaller;
      // No code says whether the range was too wide, or whether there were too many requests.
      await sleep(backoff(source.pauseMs, refusals++, PAUSE_MAX_MS));
    }
  }
}

function explain({ network: { network } }: Retried, block: number, fault: RpcFault, remedy: string): string {
  if (isPermanent(fault)) return `${network}: ${fault.message}: replace the endpoint`;
  return `${network}: the logs of block ${block} cannot be read (${fault.message}): ${remedy}`;
}
