import {
  findDeadLetter,
  findDeadLetters,
  removeDeadLetters,
  storeDeadLetters,
} from '../../../src/store/dead-letters.ts';
import { countGivenRights } from '../../../src/store/partner-changes.ts';
import {
  correctRow,
  type Publication,
  probe,
  rowsAfter,
  rowsOf,
  rowsOnNetwork,
  visitGatekeeperNetworks,
} from '../../../src/store/passes.ts';
import { advanceRebuild, beginRebuild, findRebuilds } from '../../../src/store/rebuilds.ts';
import {
  absencesIn,
  acceptAbsences,
  advanceRun,
  beginRun,
  continueRun,
  heldAbsences,
  lastRun,
  reconcileFirst,
} from '../../../src/store/reconciliations.ts';
import { rowsOfWallet } from '../../../src/store/rows-of-wallet.ts';
import { findUnsettled, listUnsettled, restoreList, unlistUnsettled } from '../../../src/store/unsettled.ts';
import { usageOfAll } from '../../../src/store/usage.ts';

/** Runs every statement of the operator's routes, with that pass if it needs one. */
export async function runForOperator(db: D1Database, pass: Publication): Promise<void> {
  const after = { at: 1, id: 'a' };
  await listUnsettled(db, { key: pass.key, id: pass.id, since: 1 });
  await findUnsettled({ DB: db }, { before: 2, limit: 1, after });
  await unlistUnsettled(db, pass);

  await storeDeadLetters(db, [{ id: 'a', at: 1, reason: 'unreadable' }]);
  await findDeadLetters(db, { limit: 1, after });
  await findDeadLetter(db, 'a');
  await removeDeadLetters(db, ['a']);

  await rowsAfter(db, undefined, 1);
  await probe(db);
  await rowsOf(db, [pass.key]);
  await rowsOfWallet(db, pass.key);
  await rowsOfWallet(db, { ...pass.key, gatekeeperNetwork: undefined });
  await visitGatekeeperNetworks(db, '', pass.key.network, 20);
  await rowsOnNetwork(db, { gatekeeperNetwork: pass.key.gatekeeperNetwork, id: '' }, pass.key.network, 20);
  await correctRow(db, pass, -1);
  await usageOfAll({ DB: db }, '2026-11', { limit: 1 });

  await restoreList(db, [
    { publication: pass, contract: 'contract', settledAt: 1 },
    { publication: pass, contract: 'contract', listedSince: 1 },
  ]);
  await beginRebuild(db, 'DB', 1);
  await advanceRebuild(db, 'DB', { objects: 1, passes: 1, elsewhere: 0, empty: 0 }, null, 2);
  await findRebuilds(db);

  await beginRun(db, 1, 1, '{}');
  await continueRun(db, 1, 2);
  const run = await lastRun(db);
  const pair = { gatekeeperNetwork: pass.key.gatekeeperNetwork, network: pass.key.network };
  const counts = [{ ...pair, compared: 10, absent: 6, isHeld: true, accepted: 0 }];
  if (run !== undefined) await advanceRun(db, run, { position: '{"in":"rows"}', counts: {} }, counts);
  await absencesIn(db, 1, [pair]);
  await heldAbsences(db, 1);
  await acceptAbsences(db, 1, pair);
  await reconcileFirst(db, pass.key.network, 1);
  await countGivenRights(db, []);
}
