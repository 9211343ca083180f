import { openWatch } from '../../../../src/chain/open-watch.ts';
import type { Place, Scan, TransactionChange, WatchPort } from '../../../../src/chain/watch-port.ts';
import type { Step } from '../../../../src/pass/step.ts';
import { type Alteration, alteredNodes } from '../altered-nodes.ts';
import { devnet } from './node.ts';

/** Scans of `devnet`, over the real node or over altered ones. */

const [NODE] = devnet().endpoints.map((endpoint) => endpoint()) as [string];
const open = (endpoints = devnet().endpoints): WatchPort => openWatch(devnet().network, endpoints, {});
export const watch = open();

/** Opens the port over altered nodes. */
export function openAltered(...alterations: readonly Alteration[]) {
  const { urls, requests } = alteredNodes(NODE, ...alterations);
  return { watch: open(urls), requests };
}

type Scanned = Extract<Scan, { type: 'scanned' }>;

/** Scans the program. Throws if the result is another one. */
export async function scan(
  after: Place | undefined,
  { on = watch, before, turn = 0 }: { on?: WatchPort; before?: Place | undefined; turn?: number } = {},
): Promise<Scanned> {
  const found = await on.scan({ after, before }, [], turn);
  if (found.type !== 'scanned') throw new Error(`not scanned: ${JSON.stringify(found)}`);
  return found;
}

export const newestPlace = async () => (await scan(undefined)).newest;
export const transactionsIn = ({ changes }: Scanned): TransactionChange[] =>
  changes.filter((each) => each.type === 'transaction');

/** Returns the changes of an action, as scan and resolution show them. */
export async function changesOf(act: () => Promise<unknown>) {
  const after = await newestPlace();
  await act();
  const scanned = await scan(after);
  return { scanned, ...(await watch.resolve(transactionsIn(scanned), 0)) };
}

/** Returns the holder of the pass, as a change names it. */
export const holderOf = ({ key }: Step) => ({ gatekeeperNetwork: key.gatekeeperNetwork, wallet: key.wallet });
