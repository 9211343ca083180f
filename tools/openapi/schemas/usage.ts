import * as v from 'valibot';
import { annotate, countField, EXAMPLE, gatekeeperNetwork, PATTERN, proseField, stringField } from '../fields.ts';
import { Chain } from './passes.ts';

/** Replies about the usage. */

const month = stringField('The month (UTC).', '2026-11', { pattern: '^[0-9]{4}-[0-9]{2}$' });

const changesField = (description: string, example: number) =>
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(Number.MIN_SAFE_INTEGER),
    annotate(`${description} A reorg subtracts 1 in its own month.`, example),
  );

export const NetworkUsage = v.pipe(
  v.object({
    chain: Chain,
    issued: changesField('The number of confirmed issuances in the month.', 1_204),
    renewed: changesField('The number of confirmed new expiries of expired passes in the month.', 87),
    revoked: changesField('The number of confirmed revocations in the month.', 12),
    active: countField('The number of passes whose `state` is `ACTIVE` now, expired ones included.', 20_391),
  }),
  v.description('The usage of one network. Only transactions of the service count.'),
);

const networks = v.pipe(
  v.array(NetworkUsage),
  v.description('Each network where the gatekeeper network ever had an active pass or a confirmed change.'),
);

export const SubjectUsage = v.pipe(
  v.object({
    count: countField(
      'The number of subjects that have a pass whose `state` is `ACTIVE` now, expired ones included.',
      8_107,
    ),
    passes: countField('The number of those passes.', 12_240),
  }),
  v.description('The subjects and their passes on all networks. Only if you asked for them.'),
);

export const Usage = v.pipe(
  v.object({ month, networks, subjects: v.optional(SubjectUsage) }),
  v.description('The usage of a month by network.'),
);

export const UsageClient = v.pipe(
  v.object({
    clientId: stringField('The id of the OAuth client.', 'acme', { minLength: 1 }),
    name: proseField('The name of the partner.', 'Acme'),
  }),
  v.description('A partner of the gatekeeper network.'),
);

export const PartnerUsage = v.pipe(
  v.object({
    gatekeeperNetwork,
    clients: v.pipe(v.array(UsageClient), v.description('The partners that share the gatekeeper network.')),
    networks,
    subjects: v.optional(SubjectUsage),
  }),
  v.description('The usage of a gatekeeper network.'),
);

export const UsageOfAll = v.pipe(
  v.object({
    month,
    gatekeeperNetworks: v.pipe(
      v.array(PartnerUsage),
      v.maxLength(100),
      v.description('At most `limit` gatekeeper networks, in the order of their keys.'),
    ),
    next: v.nullable(
      stringField('Send it as `after` to get the next page. `null`: this is the last one.', EXAMPLE.gatekeeperNetwork, {
        pattern: PATTERN.base58Key,
      }),
    ),
  }),
  v.description('The usage of a month by gatekeeper network and network.'),
);
