import { getAddress } from 'viem';
import { expect } from 'vitest';
import { openWatch } from '../../../../src/chain/open-watch.ts';
import { RpcFault } from '../../../../src/chain/port.ts';
import type { Place, Scan, TokenChange, WatchPort } from '../../../../src/chain/watch-port.ts';
import { type Alteration, alteredNodes, type Call } from '../altered-nodes.ts';
import { tokenData, tokenIdOf } from './issuing.ts';
import { aStep, mine, sepolia } from './node.ts';
import { accounts, mintAsOther, sendAs } from './others.ts';

/** Scans of `sepolia`, over the real node or over altered ones. */

const [NODE] = sepolia().endpoints.map((endpoint) => endpoint()) as [string];
const open = (endpoints = sepolia().endpoints): WatchPort => openWatch(sepolia().network, endpoints, {});

export const watch = open();

/** Opens the port over altered nodes. */
export function openAltered(...alterations: readonly Alteration[]) {
  const { urls, requests } = alteredNodes(NODE, ...alterations);
  return { watch: open(urls), requests };
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

/** Freezes a new token, between empty blocks. Returns the place before. */
export async function freezeBetween(
  before: number,
  behind: number,
): Promise<{ readonly after: Place; readonly id: bigint }> {
  const step = aStep();
  await mintAsOther(step);
  const id = await tokenIdOf(step);
  const after = await newestPlace();
  await mine(before);
  await sendAs(getAddress((await accounts()).other), step.contract, tokenData('freeze', id));
  await mine(behind);
  return { after, id };
}

export const queryOf = (calls: readonly Call[]) => calls.find(({ method }) => method === 'eth_getLogs');

/** Scans a span to its end, newest part first. Returns the changes, and the number of scans. */
export async function scanAll(on: typeof watch, after: Place) {
  const scans: Scanned[] = [];
  let before: Place | undefined;
  let faults = 0;
  for (;;) {
    try {
      const found = await scan(after, { on, before });
      scans.push(found);
      if (found.left === undefined) return { changes: scans.flatMap(tokensIn), scans, faults };
      expect(found.left.after).toEqual(after);
      before = found.left.before;
    } catch (fault) {
      if (!(fault instanceof RpcFault) || ++faults > 20) throw fault;
    }
  }
}
