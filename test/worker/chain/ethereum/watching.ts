import { openWatch } from '../../../../src/chain/open-watch.ts';
import type { Place, Scan, TokenChange, WatchPort } from '../../../../src/chain/watch-port.ts';
import { type Alteration, alteredNodes } from '../altered-nodes.ts';
import { aStep, sepolia } from './node.ts';

/** Scans of `sepolia`, over the real node or over altered ones. */

const [NODE] = sepolia().endpoints.map((endpoint) => endpoint()) as [string];
const open = (endpoints = sepolia().endpoints, overrides = {}): WatchPort =>
  openWatch({ ...sepolia().network, ...overrides }, endpoints, {});

export const watch = open();

/** Opens the port over altered nodes. */
export function openAltered(...alterations: readonly Alteration[]) {
  const { urls, requests } = alteredNodes(NODE, ...alterations);
  return {
    watch: open(urls),
    /** The same, if the network makes blocks faster than the tests do. */
    fastWatch: open(urls, { blockMs: 1 }),
    requests,
  };
}

export type Scanned = Extract<Scan, { type: 'scanned' }>;

interface ScanOptions {
  readonly on?: WatchPort;
  readonly turn?: number;
  readonly before?: Place | undefined;
}

/** Scans the contract of the tests. Throws if the result is another one. */
export async function scan(
  after: Place | undefined,
  { on = watch, turn = 0, before }: ScanOptions = {},
): Promise<Scanned> {
  const found = await on.scan({ after, before }, [aStep().contract], turn);
  if (found.type !== 'scanned') throw new Error(`not scanned: ${JSON.stringify(found)}`);
  return found;
}

export const newestPlace = async (): Promise<Place> => (await scan(undefined)).newest;

export const tokensIn = ({ changes }: Scanned): TokenChange[] => changes.filter((change) => change.type === 'token');
