import { type Network, urgentRoomOf } from '../src/network/network.ts';

/** The share of a signer's turns that freezes and revocations get while other work waits (docs/decisions/0048-a-lane-has-three-ranks.md). */
const SHARE_OF_URGENT = 0.8;

/**
 * Returns the number of blocks that have the freezes of that many passes on a network, as docs/partners/subjects.md promises: the first
 * one has those that a signer sends at once, however full it is, and each other one those that get a turn when blocks make room.
 */
export function blocksOfFreezes(passes: number, network: Pick<Network, 'unmined'>): number {
  const later = Math.max(0, passes - urgentRoomOf(network));
  return 1 + Math.ceil(later / (SHARE_OF_URGENT * network.unmined));
}
