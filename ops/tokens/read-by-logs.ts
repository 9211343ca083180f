import { RpcFault } from '../../src/chain/port.ts';
import { Failure } from '../../terminal/failure.ts';
import { deploymentBlockOf } from './deployment-blocks.ts';
import { addDerived, isDerived } from './derived-ids.ts';
import { existenceData } from './ethereum-abi.ts';
import { callAt, dataOf, type EthereumSource, readFinalBlock } from './ethereum-source.ts';
import { PAGE_TOKENS, readTokens } from './ethereum-tokens.ts';
import { retryReading } from './retry.ts';
import { readSlotLogs, type SlotLogs } from './slot-logs.ts';
import type { Page } from './token.ts';
import { walkRanges } from './walk-ranges.ts';

/** The position of a reading by logs. Ids are decimal numbers, because JSON has no big integers. */
interface LogPosition {
  readonly from: number;
  /** The newest final block at the start. The reading ends there. */
  readonly upTo: number;
  /** The first block whose logs are not read. */
  readonly next: number;
  /** Ids from read logs whose tokens are not read. */
  readonly pending: readonly string[];
  /** The first and the last id in the logs. */
  readonly firstId?: string | undefined;
  readonly lastId?: string | undefined;
  /** Ids of SlimGateway whose last log is a burn. */
  readonly burned?: readonly string[];
  /** Number of burned tokens by their logs, and by the contract's answers. */
  readonly burnedInLogs: number;
  readonly burnedInAnswers: number;
  /** The newest block that showed tokens. */
  readonly newest: number;
}

export interface LogOptions {
  /** Undefined: the recorded block of the contract's deployment. */
  readonly fromBlock: number | undefined;
  readonly say: (line: string) => void;
}

/**
 * Reads the tokens of a slot: their ids from the logs of final blocks, then each token from the contract. The logs of burned
 * tokens must explain every token that the contract does not know.
 */
export async function* readByLogs(source: EthereumSource, options: LogOptions, before: unknown): AsyncGenerator<Page> {
  let at = (before as LogPosition | undefined) ?? (await startPosition(source, options));
  const { from, upTo } = at;
  const pageAt = (tokens: Page['tokens'], done: number): Page => ({
    tokens,
    position: at,
    issuedUpTo: upTo,
    done: done - from,
    total: upTo - from + 1,
  });
  /** Reads pending tokens, page by page, until fewer than `least` are left. Their range counts as done by the share of read ones. */
  async function* readPending(least: number, range: { from: number; to: number }): AsyncGenerator<Page> {
    const all = at.pending.length;
    while (at.pending.length >= Math.max(1, least)) {
      const ids = at.pending.slice(0, PAGE_TOKENS).map(BigInt);
      const read = await retryReading(source, () => readTokens(source, ids, upTo));
      at = {
        ...at,
        pending: at.pending.slice(PAGE_TOKENS),
        burnedInAnswers: at.burnedInAnswers + read.burned,
        newest: Math.max(at.newest, read.block),
      };
      yield pageAt(read.tokens, range.to + 1 - (range.to + 1 - range.from) * (at.pending.length / all));
    }
  }
  const blocks = { from: at.next, to: upTo };
  for await (const { value, ...range } of walkRanges(source, blocks, (some) => readInOrder(source, some, at.lastId))) {
    at = addLogs(at, value, range.to + 1);
    // A token of SlimGateway may be issued again with its id, so its logs must be complete before it is read.
    if (!hasDerivedIds(at)) yield* readPending(PAGE_TOKENS, range);
    yield pageAt([], range.to + 1);
  }
  yield* readPending(0, { from: upTo, to: upTo });
  await checkBurned(source, at);
  yield pageAt([], upTo + 1);
}

async function startPosition(source: EthereumSource, { fromBlock, say }: LogOptions): Promise<LogPosition> {
  const { network } = source.network;
  const upTo = await retryReading(source, async () => {
    const block = await readFinalBlock(source);
    // Without the contract, no log exists, and an empty result would look complete.
    dataOf(source, (await source.endpoints.send([callAt(source, existenceData, block)]))[0]);
    return block;
  });
  const recorded = deploymentBlockOf(network, source.gateway);
  if (fromBlock === undefined && recorded === undefined)
    say(
      `${network}: no record has the block of the contract's deployment, so the scan reads all blocks (see --from-block)`,
    );
  // A shorter chain is not the one of the record: a local node.
  const from = fromBlock ?? (recorded !== undefined && recorded <= upTo ? recorded : 0);
  if (from > upTo) throw new Failure(`${network}: --from-block ${from} is after the newest final block ${upTo}`, 2);
  return { from, upTo, next: from, pending: [], burnedInLogs: 0, burnedInAnswers: 0, newest: upTo };
}

/** Reads the logs of a range. Throws RpcFault if they repeat a token or are out of order. */
async function readInOrder(
  source: EthereumSource,
  range: { from: number; to: number },
  lastId: string | undefined,
): Promise<SlotLogs> {
  const logs = await readSlotLogs(source, range);
  if (logs.minted.some(isDerived)) return logs;
  const ids = [...(lastId === undefined ? [] : [BigInt(lastId)]), ...logs.minted];
  if (ids.some((id, index) => index > 0 && id <= (ids[index - 1] as bigint)))
    throw new RpcFault('the logs repeat a token or are out of order');
  return logs;
}

const hasDerivedIds = ({ pending: [first = '0'] }: LogPosition) => isDerived(BigInt(first));

function addLogs(at: LogPosition, logs: SlotLogs, next: number): LogPosition {
  const { minted, burned } = logs;
  if (hasDerivedIds(at) || minted.some(isDerived)) {
    const ids = addDerived({ issued: at.pending, burned: at.burned ?? [] }, logs);
    return { ...at, next, pending: ids.issued, burned: ids.burned, burnedInLogs: ids.burned.length };
  }
  const ids = minted.map(String);
  const firstId = at.firstId ?? ids[0];
  // A smaller id belongs to a token that was issued before the first block of the scan.
  const ours = burned.filter((id) => firstId !== undefined && id >= BigInt(firstId));
  return {
    ...at,
    next,
    pending: [...at.pending, ...ids],
    firstId,
    lastId: ids.at(-1) ?? at.lastId,
    burnedInLogs: at.burnedInLogs + ours.length,
  };
}

/** Throws Failure if the number of unknown tokens differs from the number of burned ones: an answer or a log is missing. */
async function checkBurned(source: EthereumSource, at: LogPosition): Promise<void> {
  const { network } = source.network;
  let [burned, least] = [at.burnedInLogs, at.burnedInLogs];
  if (at.burnedInAnswers !== burned && at.newest > at.upTo) {
    const later = { from: at.upTo + 1, to: at.newest };
    for await (const { value } of walkRanges(source, later, (range) => readSlotLogs(source, range))) {
      burned += value.burned.length;
      least -= value.minted.filter(isDerived).length;
    }
  }
  if (at.burnedInAnswers < least || at.burnedInAnswers > burned) {
    const counts = `the logs show ${burned} burned tokens, and the contract does not know ${at.burnedInAnswers}`;
    throw new Failure(
      `${network}: the node contradicts itself: ${counts}. Delete the file and its checkpoint, and use another endpoint`,
    );
  }
}
