import * as v from 'valibot';
import { CommandBody } from '../../../src/operator/requests.ts';
import { describe } from '../describe.ts';
import { annotate, countField, EXAMPLE, extensibleEnum, proseField, REASON_TEXT, stringField } from '../fields.ts';
import { ROUTES } from '../routes.ts';

/** Audit trails. */

/** The actions that no route names: changes of passes, sign-ins, and deletions by retention. */
const WITHOUT_ROUTE = [
  ...[
    'issue',
    'renew',
    'set_expiry',
    'set_reference',
    'set_subject',
    'freeze',
    'unfreeze',
    'revoke',
    'sync',
    'repeat',
  ].map((name) => `pass.${name}`),
  ...['console.sign_in', 'audit.delete'],
];
const ACTIONS = [
  ...WITHOUT_ROUTE,
  ...ROUTES.flatMap((route) => ('action' in route && route.action !== undefined ? [route.action] : [])),
];

const HASH = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const hashField = (description: string) => stringField(description, HASH, { pattern: '^([0-9a-f]{64})?$' });

export const AuditActor = v.pipe(
  v.object({
    client: stringField('The OAuth client. `gatepass`: the service itself.', 'acme', { minLength: 1 }),
    sub: v.optional(
      stringField('The `sub` of a person who signed in to the console.', 'auth0|5f7c8ec7c33c6c004bbafe82', {
        minLength: 1,
      }),
    ),
  }),
  v.description('Who acted.'),
);

export const AuditOutcome = v.pipe(
  v.object({
    type: extensibleEnum(
      ['done', 'waits', 'expired', 'unknown'],
      'How the action ended. `waits`: a second person must confirm it; `expired`: nobody used the approval within a day. `unknown`: all of it may have happened, a part, or nothing.',
    ),
    approval: v.optional(
      stringField('The id of the approval for which it waits.', EXAMPLE.requestId, { format: 'uuid' }),
    ),
    why: v.optional(
      proseField(
        'With `unknown`, the name of the fault. Absent if the service stopped before the end.',
        'DatabaseTimeout',
      ),
    ),
    counts: v.optional(
      v.pipe(v.record(v.string(), v.unknown()), annotate('The numbers of items that it concerned.', { entries: 12 })),
    ),
  }),
  v.description('The outcome of an action.'),
);

const state = (description: string, example: object) =>
  v.optional(v.pipe(v.record(v.string(), v.unknown()), annotate(description, example)));

export const AuditEntry = v.pipe(
  v.object({
    sequence: countField('The place of the entry in its trail: 1, 2, 3 … without a gap.', 48_212),
    previous: hashField('The hash of the entry before it. Empty: it is the first one.'),
    key: stringField('Names the item and which of its changes this is. Unique in the trail.', `${EXAMPLE.id}/3`, {
      minLength: 1,
    }),
    at: stringField('The time of the change, in ISO 8601 and UTC.', '2026-11-20T11:03:45.000Z', {
      format: 'date-time',
    }),
    action: extensibleEnum(ACTIONS, 'What was done.', 'pass.freeze'),
    actor: AuditActor,
    requestId: v.optional(
      stringField('The id of the request, as in the events that it caused.', EXAMPLE.requestId, { format: 'uuid' }),
    ),
    target: v.pipe(
      v.record(v.string(), v.unknown()),
      annotate('The item, for example the pass and its wallet.', {
        pass: EXAMPLE.id,
        chain: { type: 'ethereum', network: 'sepolia' },
        walletAddress: EXAMPLE.ethereumWallet,
      }),
    ),
    before: state('The state before, as far as the action knows it.', { state: 'ACTIVE', client: 'acme' }),
    after: state(
      'The state afterwards. `referenceChanged`: the pass got another reference or lost it. `subjectChanged`: the same of its subject. The trail has no reference and no subject.',
      { state: 'FROZEN', client: 'acme' },
    ),
    reason: v.optional(proseField('The reason that the actor gave.', 'case 4711')),
    outcome: AuditOutcome,
    hash: hashField('SHA-256 of the JSON of all fields before this one, in their order.'),
  }),
  v.description('An entry of an audit trail. It never changes.'),
);

const AuditPlace = v.pipe(
  v.object({
    sequence: countField('The sequence of the entry before that place; 0: none.', 48_212),
    hash: hashField('The hash of that entry.'),
  }),
  v.description('A place in a trail.'),
);

export const AuditPage = v.pipe(
  v.object({
    entries: v.pipe(v.array(AuditEntry), v.maxLength(1_000), v.description('The entries that match.')),
    next: countField(
      'The last sequence that the service read for this page. Send it as `after` for the next page.',
      48_212,
    ),
    more: v.pipe(
      v.boolean(),
      annotate('Whether there may be further entries. A page may be empty all the same.', false),
    ),
    head: v.pipe(AuditPlace, v.description('The place after the newest entry.')),
    start: v.pipe(AuditPlace, v.description('The place before the oldest entry that is left.')),
  }),
  v.description('A page of an audit trail.'),
);

export const CommandRequest = describe(CommandBody, 'A command that is about to act on the chain or a database.', {
  command: annotate('The name of the command.', 'restore'),
  environment: annotate('The environment of the deployment.', 'production'),
  arguments: annotate('The arguments, without secrets.', ['--shard', 'DB_1']),
  reason: REASON_TEXT,
});

export const RecordedCommand = v.pipe(
  v.object({ recorded: stringField('The key of the entry.', EXAMPLE.requestId, { format: 'uuid' }) }),
  v.description('The entry of the command.'),
);
