import { toFunctionSelector } from 'viem/utils';
import { slotData } from '../../src/chain/ethereum/gateway.ts';
import { quantityOf, revertData } from '../../src/chain/ethereum/rpc.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { Failure } from '../../terminal/failure.ts';
import { indexData, readIndexed, readSupply, supplyData } from './ethereum-abi.ts';
import { callAt, dataOf, decode, type EthereumSource, readFinalBlock } from './ethereum-source.ts';
import { PAGE_TOKENS, readTokens } from './ethereum-tokens.ts';
import { retryReading } from './retry.ts';
import type { Page } from './token.ts';
import { addToken, hasToken } from './token-set.ts';

const NOT_SUPPORTED = toFunctionSelector('SlimGateway__NotSupported(bytes4)');

interface IndexPosition {
  /** The newest final block at the start, and the number of tokens in it. */
  readonly upTo: number;
  readonly total: number;
  /** The walk goes down: the indexes from here on are read. */
  readonly next: number;
  /** The set of the ids that are read, in base64. */
  readonly seen: string;
}

/**
 * Reads the tokens of a slot without logs: it walks the contract's list of all tokens, from the last index down. When a token is
 * burned, the contract moves the last token of the list to the free index. A walk up could miss the moved token. A walk down
 * meets it twice at most, and skips it the second time.
 */
export async function* readByIndex(source: EthereumSource, before: unknown): AsyncGenerator<Page> {
  let at = (before as IndexPosition | undefined) ?? (await startPosition(source));
  const { upTo, total } = at;
  let seen: Uint8Array = Buffer.from(at.seen, 'base64');
  while (at.next > 0) {
    const from = Math.max(0, at.next - PAGE_TOKENS);
    const { tokens } = await retryReading(source, async () => {
      const ids = await readIds(source, from, at.next, upTo);
      const read = await readTokens(
        source,
        ids.filter((id) => !hasToken(seen, id)),
        upTo,
      );
      // The next try lists the tokens at a newer block, which no longer has a burned one.
      if (read.burned > 0) throw new RpcFault('the node lists a token that the contract does not know');
      return read;
    });
    seen = tokens.reduce((set, { token }) => addToken(set, BigInt(token)), seen);
    at = { ...at, next: from, seen: Buffer.from(seen).toString('base64') };
    yield { tokens, position: at, issuedUpTo: upTo, done: total - from, total };
  }
}

function startPosition(source: EthereumSource): Promise<IndexPosition> {
  return retryReading(source, async () => {
    const upTo = await readFinalBlock(source);
    const total = await readTotal(source, upTo);
    return { upTo, total, next: total, seen: '' };
  });
}

async function readTotal(source: EthereumSource, block: number): Promise<number> {
  const [answer] = await source.endpoints.send([callAt(source, supplyData, block)]);
  if (answer && revertData(answer)?.startsWith(NOT_SUPPORTED))
    throw new Failure('SlimGateway has no list of all tokens: leave out --by-index');
  const data = dataOf(source, answer);
  return decode(() => readSupply(data));
}

/** Reads the ids of the slot's tokens at these indexes, as of the newest final block. */
async function readIds(source: EthereumSource, from: number, end: number, atLeast: number): Promise<bigint[]> {
  const block = await readFinalBlock(source, atLeast);
  // If tokens were burned since the last page, the last indexes no longer exist.
  const stop = Math.max(from, Math.min(end, await readTotal(source, block)));
  const read = async (calls: readonly `0x${string}`[]) =>
    (await source.endpoints.send(calls.map((data) => callAt(source, data, block)))).map((answer) =>
      dataOf(source, answer),
    );
  const indexes = Array.from({ length: stop - from }, (_, offset) => indexData(from + offset));
  const ids = (await read(indexes)).map((data) => decode(() => readIndexed(data)));
  if (new Set(ids).size < ids.length) throw new RpcFault('the node shows one token at two indexes');
  const slots = await read(ids.map(slotData));
  return ids.filter((_, index) => quantityOf({ result: slots[index] }) === source.slot);
}
