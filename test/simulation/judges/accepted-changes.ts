import { DAY_MS } from '../../../src/lib/units.ts';
import { clientOf } from '../world/identities.ts';
import { type ChainNetwork, textOf } from '../world/networks.ts';
import type { Entry } from '../world/trails.ts';

/** A change of a pass by a partner that the service accepted, as the audit trail tells it. */
export interface AcceptedChange {
  /** When it was stored (Unix milliseconds). */
  readonly at: number;
  readonly client: string;
  readonly action: string;
  /** Its name (`textOf`). */
  readonly pass: string;
  /** Whether it made the pass. */
  readonly isFirst: boolean;
}

/** Returns the day (UTC) of a time (Unix milliseconds). */
export const dayOf = (ms: number): number => Math.floor(ms / DAY_MS);

/** Returns the accepted changes of passes, in the order of their trails. */
export function acceptedChanges(trails: ReadonlyMap<string, readonly Entry[]>): AcceptedChange[] {
  return [...trails].flatMap(([trail, entries]) => {
    const known = new Set<string>();
    return entries.flatMap(({ at, action, actor, target: { chain, walletAddress } }) => {
      if (chain === undefined || walletAddress === undefined || action === 'pass.sync') return [];
      const network = chain.network as ChainNetwork;
      const pass = textOf({ gatekeeperNetwork: trail, network, wallet: walletAddress });
      const isFirst = !known.has(pass);
      known.add(pass);
      return [{ at: Date.parse(at), client: clientOf(actor), action, pass, isFirst }];
    });
  });
}

export const isIssuance = ({ action }: AcceptedChange): boolean => action === 'pass.issue' || action === 'pass.renew';

/** Whether it counts as a change. A repetition gives the pass another client or rank only. */
export const countsAsChange = ({ action, isFirst }: AcceptedChange): boolean => !isFirst && action !== 'pass.repeat';
