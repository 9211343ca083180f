import { printable } from '../../packages/cli/src/printable.ts';
import { Failure } from '../../terminal/failure.ts';
import { print } from '../../terminal/print.ts';
import { describeFault } from '../nodes/node-error.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import type { Sent } from './send-options.ts';
import type { Changed } from './sender.ts';

/** A network of a command, with the changes that the command wants there. */
export interface Target<Change> {
  readonly changed: Changed<Change>;
  readonly changes: readonly Change[];
}

/** Throws Failure if a mainnet is named and the command does not allow transactions there. */
export function demandMainnetFlag(
  { mainnet, calldata }: Pick<Sent, 'mainnet' | 'calldata'>,
  named: readonly NetworkNodes[],
): void {
  const main = named.find(({ network }) => !network.testnet);
  if (main && !mainnet && calldata === undefined)
    throw new Failure(`${main.network.network} is a mainnet: add --mainnet if you mean it`, 2);
}

export const tell = (...lines: readonly string[]) => print(...lines);

/** Works on all targets at once, and waits for all before it throws, so that a failure leaves no other network half done. */
export async function onEach<T extends { readonly changed: { readonly network: string } }, R>(
  targets: readonly T[],
  work: (target: T) => Promise<R>,
): Promise<R[]> {
  const results = await Promise.allSettled(targets.map(work));
  const faults = results.flatMap((each, index) =>
    each.status === 'rejected' ? [printable(`${targets[index]?.changed.network}: ${describeFault(each.reason)}`)] : [],
  );
  if (faults.length > 0) throw new Failure(faults.join('\n'));
  return results.map((each) => (each as PromiseFulfilledResult<R>).value);
}
