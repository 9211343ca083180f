import type { BlockReference, Flight, Sighting } from '../port.ts';
import type { Solana } from './adapter.ts';
import { readStatuses, type SolanaRpc, type Status } from './calls.ts';

/** The finalized chain as it was seen at one moment. */
interface View {
  readonly slot: bigint;
  readonly height: bigint;
}

/**
 * Statuses of everything in flight, in one request. What the node does not know, and what its finalized chain should
 * hold or can hold no more, is looked for in its history as well before anything is concluded.
 */
export async function track({ rpc }: Solana, flights: readonly Flight[]): Promise<Sighting[]> {
  const [{ absoluteSlot: slot, blockHeight: height }, known] = await Promise.all([
    rpc.getEpochInfo({ commitment: 'finalized' }).send(),
    statusesOf(rpc, flights, false),
  ]);
  const view = { slot, height };
  const doubted = flights.filter((flight) => !known.statuses.has(flight) && isDecided(flight, view));
  const history = await statusesOf(rpc, doubted, true);
  return flights.map((flight): Sighting => {
    const status = known.statuses.get(flight) ?? history.statuses.get(flight);
    if (status !== undefined) return sighting(flight, status);
    // A node that is behind the finalized chain proves nothing.
    const isGone = doubted.includes(flight) && history.slot >= view.slot;
    if (flight.place === undefined) return { is: isGone ? 'expired' : 'unconfirmed' };
    return { is: isGone ? 'unconfirmed' : 'standing' };
  });
}

/** Whether the finalized chain must hold the transaction by now, if it ever will. */
function isDecided({ place, lastValidBlockHeight }: Flight, { slot, height }: View): boolean {
  if (place !== undefined) return slot >= BigInt(place.block);
  return lastValidBlockHeight !== undefined && height > BigInt(lastValidBlockHeight);
}

interface Found {
  readonly identifier: string;
  readonly status: Status;
}

async function statusesOf(rpc: SolanaRpc, flights: readonly Flight[], history: boolean) {
  const asked = flights.flatMap((flight) => flight.identifiers.map((identifier) => ({ flight, identifier })));
  const { slot, statuses } = await readStatuses(
    rpc,
    asked.map(({ identifier }) => identifier),
    history,
  );
  const found = asked.flatMap(({ flight, identifier }, index) => {
    const status = statuses[index];
    return status === undefined ? [] : [[flight, { identifier, status }] as const];
  });
  return { slot, statuses: new Map<Flight, Found>(found) };
}

/** What the status of a transaction says. */
function sighting({ step, place }: Flight, { identifier, status }: Found): Sighting {
  const isFinal = status.confirmationStatus === 'finalized';
  if (!isFinal && status.confirmationStatus !== 'confirmed') return { is: place ? 'standing' : 'unconfirmed' };
  // Signed anew before this one is final, both could take effect after a fork.
  if (status.err !== null) return isFinal ? { is: 'without-effect', identifier } : { is: 'unconfirmed' };
  if (place !== undefined) return { is: isFinal ? 'final' : 'standing' };
  const seen: BlockReference = { block: Number(status.slot) };
  return { is: 'confirmed', identifier, place: seen, onChain: { state: 'ACTIVE', expiry: step.expiry } };
}
