import * as v from 'valibot';
import {
  countField,
  extensibleEnum,
  gatekeeperNetwork,
  networkName,
  PATTERN,
  proseField,
  stringField,
  unixSecondsField,
} from '../fields.ts';

/** Replies about watchers. */

const gatekeeper = (description: string) =>
  stringField(description, '0x70997970C51812dc3A010C7d01b50e0d17dc79C8', { pattern: PATTERN.wallet });

const IssuedByOthers = v.pipe(
  v.object({
    gatekeeperNetwork,
    gatekeeper: v.nullable(gatekeeper('The address of the gatekeeper that issued them. `null`: unknown.')),
    tokens: countField('The number of tokens.', 12),
    lastAt: unixSecondsField('The time of the last one.'),
  }),
  v.description('Tokens that one gatekeeper has issued to wallets without a pass.'),
);

const RemovedGatekeeper = v.pipe(
  v.object({ gatekeeperNetwork, gatekeeper: gatekeeper('The address of the gatekeeper.') }),
  v.description('A gatekeeper whose removal has voided the tokens that it had issued.'),
);

export const Watcher = v.pipe(
  v.object({
    network: networkName,
    status: extensibleEnum(
      ['on', 'off', 'not-begun', 'unreachable'],
      'Whether the watcher reads the chain. `off`: `NETWORKS` switches it off, or the configuration is invalid. `not-begun`: the network has no pass yet. `unreachable`: it does not answer.',
    ),
    coveredUntil: v.optional(
      v.nullable(
        unixSecondsField('The time up to which the watcher has covered the chain. `null`: it has covered nothing yet.'),
      ),
    ),
    gaps: v.optional(countField('The number of parts of the chain that it has not read yet.', 0)),
    unservedGaps: v.optional(
      countField(
        'The number of these parts that no endpoint serves. The reconciliation reads the passes of the network instead.',
        0,
      ),
    ),
    waiting: v.optional(
      countField(
        'The number of changes that wait for a reading or for their final block. From 5,000 on, it scans nothing.',
        2,
      ),
    ),
    foreignChanges: v.optional(
      countField('The number of changes by others that passes have adopted since the watcher began.', 7),
    ),
    issuedByOthers: v.optional(
      v.pipe(
        v.array(IssuedByOthers),
        v.description(
          'Tokens that others have issued to wallets without a pass since the watcher began: the newest 100 gatekeepers.',
        ),
      ),
    ),
    removedGatekeepers: v.optional(
      v.pipe(
        v.array(RemovedGatekeeper),
        v.description('The gatekeepers whose removal has voided their tokens. Public checks refuse the wallets.'),
      ),
    ),
    why: v.optional(
      v.nullable(proseField('The reason why the last reading failed, for people. `null`: it did not.', 'no answer')),
    ),
  }),
  v.description(
    'The watcher of a network. The fields after `status` are absent if the watcher has not begun or does not answer.',
  ),
);

export const Watchers = v.pipe(
  v.object({
    watchers: v.pipe(v.array(Watcher), v.description('One entry for each enabled network.')),
  }),
  v.description('The watchers, which learn what others change on chain.'),
);
