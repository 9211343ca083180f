import { createHash } from 'node:crypto';
import type { TokenRow } from './token-rows.ts';

/** The counts of one network's tokens. */
interface Counts {
  tokens: number;
  expired: number;
  readonly states: Map<string, number>;
  readonly gatekeepers: Map<string, number>;
  readonly wallets: WalletHashes;
  lowestBlock: number;
  highestBlock: number;
}

/** Hashes of wallets, eight bytes each: a list of the wallets themselves would need more memory than the rest of a scan. */
interface WalletHashes {
  list: BigUint64Array;
  length: number;
}

/** Counts the rows of a scan by network. `now` is in Unix seconds. */
export async function countRows(rows: AsyncIterable<TokenRow>, now: number): Promise<ReadonlyMap<string, Counts>> {
  const networks = new Map<string, Counts>();
  for await (const { network, walletAddress, state, expiryTimestamp, issuedBy, block } of rows) {
    const counts = networks.get(network) ?? noTokens();
    networks.set(network, counts);
    counts.tokens += 1;
    if (expiryTimestamp !== '' && Number(expiryTimestamp) < now) counts.expired += 1;
    increment(counts.states, state);
    increment(counts.gatekeepers, issuedBy);
    addHash(counts.wallets, createHash('sha256').update(walletAddress).digest().readBigUInt64BE());
    counts.lowestBlock = Math.min(counts.lowestBlock, Number(block));
    counts.highestBlock = Math.max(counts.highestBlock, Number(block));
  }
  return networks;
}

const noTokens = (): Counts => ({
  tokens: 0,
  expired: 0,
  states: new Map(),
  gatekeepers: new Map(),
  wallets: { list: new BigUint64Array(1_024), length: 0 },
  lowestBlock: Number.POSITIVE_INFINITY,
  highestBlock: 0,
});

const increment = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);

function addHash(wallets: WalletHashes, hash: bigint): void {
  if (wallets.length === wallets.list.length) {
    const larger = new BigUint64Array(2 * wallets.list.length);
    larger.set(wallets.list);
    wallets.list = larger;
  }
  wallets.list[wallets.length++] = hash;
}

/** Returns how many wallets have several tokens, and how many tokens those wallets have. */
function countSeveral({ list, length }: WalletHashes): { wallets: number; tokens: number } {
  const sorted = list.subarray(0, length).sort();
  let [wallets, tokens] = [0, 0];
  for (let start = 0, end = 0; start < length; start = end) {
    while (end < length && sorted[end] === sorted[start]) end += 1;
    if (end - start > 1) {
      wallets += 1;
      tokens += end - start;
    }
  }
  return { wallets, tokens };
}

/** The facts of a summary that the rows of a network do not show. */
export interface NetworkNotes {
  readonly issuedUpTo: number;
  readonly missing?: string | undefined;
}

/** Returns the lines of the summary about one network. */
export function summaryOf(
  network: string,
  counts: Counts | undefined,
  { issuedUpTo, missing }: NetworkNotes,
): string[] {
  const warning = missing === undefined ? [] : [`  INCOMPLETE: the scan lacks ${missing}`];
  const scope = `all that were issued up to block ${format(issuedUpTo)}`;
  if (counts === undefined) return [`${network}: 0 tokens, issued up to block ${format(issuedUpTo)}`, ...warning];
  const several = countSeveral(counts.wallets);
  const { lowestBlock, highestBlock } = counts;
  return [
    `${network}: ${format(counts.tokens)} tokens, ${scope}`,
    ...warning,
    `  read at blocks ${format(lowestBlock)} to ${format(highestBlock)}`,
    `  states: ${listOf(counts.states)}`,
    `  expired: ${format(counts.expired)}`,
    ...[...counts.gatekeepers]
      .toSorted(([, a], [, b]) => b - a)
      .map(([gatekeeper, tokens]) => `  issued by ${gatekeeper}: ${format(tokens)}`),
    `  wallets with several tokens: ${format(several.wallets)}, with ${format(several.tokens)} tokens`,
  ];
}

const listOf = (counts: ReadonlyMap<string, number>) =>
  [...counts]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([key, count]) => `${format(count)} ${key}`)
    .join(', ');

const format = (count: number) => count.toLocaleString('en-US');
