import { type Pass, stateOf } from '../pass/pass.ts';
import { recordOf } from '../pass/record.ts';
import type { Publication } from '../store/passes.ts';

/** The pass as the read model should have it. */
export function publicationOf(pass: Pass): Publication {
  const { id, key, shard, version } = pass;
  return { id, key, shard, version, state: stateOf(pass), record: JSON.stringify(recordOf(pass)) };
}
