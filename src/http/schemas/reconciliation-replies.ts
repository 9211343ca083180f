import * as v from 'valibot';
import {
  annotate,
  countField,
  EXAMPLE,
  gatekeeperNetwork,
  networkName,
  PATTERN,
  stringField,
  unixSecondsField,
} from './fields.ts';

/** The bodies of replies to the operator about the reconciliation. Only the generator and tests load them. */

const heldPair = { gatekeeperNetwork, network: networkName };

const HeldAbsences = v.pipe(
  v.object({
    ...heldPair,
    compared: countField('How many passes were compared with the chain.', 1200),
    absent: countField('How many passes seem to have lost their token.', 400),
  }),
  v.description('A gatekeeper network on a network where too many passes seem to have lost their token.'),
);

export const AcceptedAbsences = v.pipe(
  v.object({ accepted: v.pipe(v.object(heldPair), v.description('Where the losses were accepted.')) }),
  v.description('What this run and the next one adopt.'),
);

const Run = v.pipe(
  v.object({
    held: v.pipe(
      v.array(HeldAbsences),
      v.maxLength(100),
      v.description('Where nothing changes until the operator accepts it.'),
    ),
    started: unixSecondsField('When it began.'),
    finished: v.nullable(unixSecondsField('When it came to its end; null: it goes on, tonight or in the next night.')),
    night: unixSecondsField('When the night began that it was at last.'),
    slices: countField('Slices of up to 100 passes that were done that night.', 12),
    counts: v.pipe(
      v.record(v.string(), v.pipe(v.number(), v.integer(), v.minValue(0))),
      annotate(
        'How often each was met: `passes`, differences (`row-missing`, `row-stale`, `row-altered`, `no-pass-object`, `no-alarm`, `changed-on-chain`) and what could not be compared (`object-unreachable`, `signer-not-configured`, `busy`, `not-final`, `unreadable`, `held`).',
        { passes: 1200, 'row-stale': 1 },
      ),
    ),
  }),
  v.description('A run of the reconciliation.'),
);

const rebuildCounts = {
  objects: countField('How many pass objects answered.', 200),
  passes: countField('How many have a pass of the shard. Its row is now at least as new.', 150),
  elsewhere: countField('How many have a pass of another shard.', 48),
  empty: countField('How many have no pass.', 2),
};
const shardName = stringField('Name of the database, as it is bound.', 'DB', { minLength: 1 });

const Rebuild = v.pipe(
  v.object({
    shard: shardName,
    started: unixSecondsField('When it began.'),
    finished: v.nullable(unixSecondsField('When it came to its end; null: it goes on.')),
    updated: unixSecondsField('When it last made progress.'),
    position: v.pipe(
      v.nullable(v.pipe(v.string(), v.maxLength(1_000))),
      annotate('Where the list of the objects continues; null: at its beginning, or the rebuild is finished.', '4000', {
        minLength: 1,
      }),
    ),
    ...rebuildCounts,
  }),
  v.description('The newest rebuild of a shard. A slice that came twice counts twice.'),
);

export const Reconciliation = v.pipe(
  v.object({
    run: v.pipe(v.nullable(Run), v.description('The newest run; null: there was none.')),
    rebuilds: v.pipe(v.array(Rebuild), v.description('The newest rebuild of each shard that had one.')),
  }),
  v.description('What the last reconciliation has found, and how far rebuilds have come.'),
);

export const Rebuilt = v.pipe(
  v.object({
    ...rebuildCounts,
    unreachable: v.pipe(
      v.array(stringField('Id of an object.', EXAMPLE.objectId, { pattern: PATTERN.objectId })),
      v.description('Objects that did not answer: send them again.'),
    ),
  }),
  v.description('What a slice of a rebuild has written.'),
);
