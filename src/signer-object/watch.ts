import type { Flight, Sighting } from '../chain/port.ts';
import { log } from '../log/log.ts';
import * as ledger from './ledger.ts';
import type { Signer } from './signer.ts';
import * as transitions from './transitions.ts';

/** How many transactions one look takes in; the oldest come first, so the window moves on as they become final. */
const WINDOW = 1_000;

/** Asks the chain what became of everything in flight. Throws RpcFault when the nodes fail. */
export async function watchFlights({ name, storage, network, chain }: Signer): Promise<void> {
  const flying = (['unsent', 'sent', 'confirmed'] as const).flatMap((status) =>
    ledger.inFlight(storage.sql, network, status, WINDOW),
  );
  if (flying.length === 0) return;
  const sightings = await chain.track(flying.map(flightOf));
  storage.transactionSync(() => {
    for (const [index, sighting] of sightings.entries()) {
      settleSighting(name, storage.sql, flying[index] as ledger.Entry, sighting);
    }
  });
}

function flightOf({ step, signed, place }: ledger.Entry): Flight {
  const heights = signed.flatMap(({ lastValidBlockHeight }) => lastValidBlockHeight ?? []);
  return {
    step,
    place,
    identifiers: signed.map(({ identifier }) => identifier),
    // Where one of them may land at any height, all together may.
    lastValidBlockHeight: heights.length === signed.length ? Math.max(...heights) : undefined,
  };
}

function settleSighting(signer: string, sql: SqlStorage, entry: ledger.Entry, sighting: Sighting): void {
  const { seq, step } = entry;
  switch (sighting.is) {
    case 'standing':
      return;
    case 'unconfirmed':
      if (entry.status !== 'confirmed') return;
      log('step-vanished', { signer, step: step.id });
      return transitions.setVanished(sql, seq);
    case 'confirmed': {
      if (entry.answer.standing.at === 'confirmed') return transitions.setPlaced(sql, seq, sighting.place);
      const { identifier: transaction, onChain, place } = sighting;
      return transitions.setConfirmed(sql, seq, { at: 'confirmed', transaction, onChain }, place);
    }
    case 'expired':
      log('step-expired', { signer, step: step.id });
      return transitions.requeue(sql, seq);
    case 'without-effect':
      log('step-without-effect', { signer, step: step.id, transaction: sighting.identifier });
      transitions.countMisfire(sql, seq);
      return transitions.requeue(sql, seq);
    case 'final':
      return transitions.setFinal(sql, seq, Date.now());
  }
}
