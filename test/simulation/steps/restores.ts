import { restoreDatabase } from '../world/restored-database.ts';
import { type Kinds, kind } from './kind.ts';

/** Restores of D1 to a version of before. */

export const RESTORE_STEPS: Kinds = {
  copy: kind(
    { weight: 1 },
    [],
    () => 'later restores return D1 to its version of now',
    (world) => {
      world.oldDatabase = world.platform.databases.DB?.copy();
    },
  ),
  restore: kind(
    { weight: 1 },
    [],
    () => 'the operator restores D1, which takes six minutes, and rebuilds its rows',
    (world) => restoreDatabase(world, world.oldDatabase),
  ),
};
