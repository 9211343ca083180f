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
import { rowsOfWallet } from '../../../src/store/rows-of-wallet.ts';
import {
  absencesIn,
  acceptAbsences,
  advanceRebuild,
  advanceRun,
  beginRebuild,
  heldAbsences,
  type Run,
  reconcileFirst,
  runOfNight,
} from '../../../src/store/runs.ts';
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
  for (const replaces of [true, false]) await beginRebuild(db, 'DB', replaces);
  await advanceRebuild(db, 'DB', { counts: { objects: 1 }, position: null });

  const run = (await runOfNight(db, 1)) as Run;
  const pair = { gatekeeperNetwork: pass.key.gatekeeperNetwork, network: pass.key.network };
  const counts = [{ ...pair, compared: 10, absent: 6, isHeld: true, accepted: 0 }];
  await advanceRun(db, run, { position: '{"in":"rows"}', counts: {} }, counts);
  await absencesIn(db, 1, [pair]);
  await heldAbsences(db, 1);
  await acceptAbsences(db, 1, pair);
  await reconcileFirst(db, pass.key.network, 1);
  await countGivenRights(db, []);
}
