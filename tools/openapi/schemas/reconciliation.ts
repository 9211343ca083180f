import * as v from 'valibot';
import { AcceptBody, MoveBody, RebuildBody } from '../../../src/operator/requests.ts';
import { describe, object } from '../describe.ts';
import {
  APPROVAL_TEXT,
  annotate,
  countField,
  EXAMPLE,
  gatekeeperNetwork,
  networkName,
  PATTERN,
  REASON_TEXT,
  stringField,
  unixSecondsField,
} from '../fields.ts';
import { NetworkName } from './passes.ts';

/** Requests and replies about the reconciliation and rebuilds. */

export const AcceptRequest = describe(AcceptBody, 'The losses to accept.', {
  accept: object('The gatekeeper network and the network where passes lost their token.', {
    gatekeeperNetwork: annotate('The gatekeeper network: base58 of 32 bytes.', EXAMPLE.gatekeeperNetwork),
    network: NetworkName,
  }),
  approval: APPROVAL_TEXT,
  reason: REASON_TEXT,
});

export const RebuildRequest = describe(RebuildBody, 'A slice of the pass objects, and the shard to rebuild.', {
  shard: annotate('The binding name of the database to rebuild.', 'DB', { minLength: 1 }),
  objects: annotate('The ids of pass objects, as the platform lists them.', [EXAMPLE.objectId]),
  start: annotate('Whether to begin a new rebuild of the shard, which drops the counts of the earlier one.', true),
  position: annotate(
    'The position at which the list of objects continues after this slice. `null`: the rebuild is finished. Absent: earlier slices are still under way.',
    '4000',
  ),
  reason: REASON_TEXT,
});

export const MoveNetworkRequest = describe(
  MoveBody,
  'The gatekeeper network to move, and the database to move it to.',
  {
    gatekeeperNetwork: annotate('The gatekeeper network: base58 of 32 bytes.', EXAMPLE.gatekeeperNetwork),
    to: annotate('The binding name of the database.', 'DB_2', { minLength: 1 }),
    cancel: annotate('Whether to cancel the move and to delete its copies.', true),
    reason: REASON_TEXT,
  },
);

const heldPair = { gatekeeperNetwork, network: networkName };

const HeldAbsences = v.pipe(
  v.object({
    ...heldPair,
    compared: countField('The number of passes that were compared with the chain.', 1200),
    absent: countField('The number of passes that seem to have lost their token.', 400),
  }),
  v.description('A gatekeeper network on a network where too many passes seem to have lost their token.'),
);

export const AcceptedAbsences = v.pipe(
  v.object({
    accepted: v.pipe(
      v.object(heldPair),
      v.description('The gatekeeper network and the network whose losses were accepted.'),
    ),
  }),
  v.description('The losses that this run and the next one adopt.'),
);

const Run = v.pipe(
  v.object({
    held: v.pipe(
      v.array(HeldAbsences),
      v.maxLength(100),
      v.description(
        'The gatekeeper networks and networks where the run changes nothing until the operator accepts the losses.',
      ),
    ),
    started: unixSecondsField('The time when the run began.'),
    finished: v.nullable(
      unixSecondsField('The time when the run ended, or `null` if it continues, tonight or in the next night.'),
    ),
    night: unixSecondsField('The start of the night in which the run last worked.'),
    slices: countField('The number of slices of up to 100 passes that were done in that night.', 12),
    counts: v.pipe(
      v.record(v.string(), v.pipe(v.number(), v.integer(), v.minValue(0))),
      annotate(
        'How often each case occurred: `passes`; the differences `row-missing`, `row-stale`, `row-altered`, `no-pass-object`, `no-alarm` and `changed-on-chain`; passes that could not be compared, by reason: `object-unreachable`, `signer-not-configured`, `busy`, `not-final`, `unreadable` and `held`.',
        { passes: 1200, 'row-stale': 1 },
      ),
    ),
  }),
  v.description('A run of the reconciliation.'),
);

const rebuildCounts = {
  objects: countField('The number of pass objects that answered.', 200),
  passes: countField(
    'The number of pass objects with a pass of the shard. The row of each such pass is now at least as new.',
    150,
  ),
  elsewhere: countField('The number of pass objects with a pass of another shard.', 48),
  empty: countField('The number of pass objects without a pass.', 2),
};
const shardName = stringField('The binding name of the database.', 'DB', { minLength: 1 });

export const Move = v.pipe(
  v.object({
    gatekeeperNetwork,
    from: shardName,
    to: stringField('The binding name of the database.', 'DB_2', { minLength: 1 }),
    phase: v.pipe(
      v.picklist(['clear', 'copy', 'compare', 'switch', 'settle', 'rest', 'done', 'cancel', 'canceled']),
      annotate(
        'The present work. `clear`, `copy` and `compare` make a copy; the gatekeeper network is still in its old database. `switch` names the new one, and `settle` waits until the whole service reads it. Then passes are published again, and `rest` deletes the old rows. `done`: the move has ended. `cancel` deletes the copies, and `canceled` is its end.',
        'copy',
      ),
    ),
    passes: countField('The number of copied passes.', 48_000),
    events: countField('The number of copied events.', 0),
    started: unixSecondsField('The time when the move began.'),
    updated: unixSecondsField('The time of the last progress.'),
  }),
  v.description('A move of a gatekeeper network to another database.'),
);

export const Moves = v.pipe(
  v.object({ moves: v.pipe(v.array(Move), v.description('The moves that have begun and not ended.')) }),
  v.description('The moves of gatekeeper networks.'),
);

const Rebuild = v.pipe(
  v.object({
    shard: shardName,
    started: unixSecondsField('The time when the rebuild began.'),
    finished: v.nullable(unixSecondsField('The time when the rebuild ended, or `null` if it continues.')),
    updated: unixSecondsField('The time of the last progress.'),
    position: v.pipe(
      v.nullable(v.pipe(v.string(), v.maxLength(1_000))),
      annotate(
        'The position at which the list of objects continues. `null`: at its beginning, or the rebuild is finished.',
        '4000',
        {
          minLength: 1,
        },
      ),
    ),
    ...rebuildCounts,
  }),
  v.description('The newest rebuild of a shard. A slice that was sent twice counts twice.'),
);

export const Reconciliation = v.pipe(
  v.object({
    run: v.pipe(v.nullable(Run), v.description('The newest run. `null`: there was none.')),
    rebuilds: v.pipe(v.array(Rebuild), v.description('The newest rebuild of each shard that had one.')),
  }),
  v.description('The result of the last reconciliation, and the progress of rebuilds.'),
);

export const Rebuilt = v.pipe(
  v.object({
    ...rebuildCounts,
    unreachable: v.pipe(
      v.array(stringField('The id of a pass object.', EXAMPLE.objectId, { pattern: PATTERN.objectId })),
      v.description('The pass objects that did not answer. Send their ids again.'),
    ),
  }),
  v.description('The result of a slice of a rebuild.'),
);
