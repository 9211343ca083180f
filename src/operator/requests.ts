import * as v from 'valibot';
import { OPERATOR_TRAIL } from '../audit/entry.ts';
import { AuditQuery, visible, WebhookId } from '../http/schemas/managing.ts';
import {
  gatekeeperNetwork,
  month,
  queryNumber,
  reason,
  subjects,
  text,
  wholeNumber,
} from '../http/schemas/requests.ts';
import { type Cursor, parseCursor } from '../lib/cursor.ts';
import { DAY_SECONDS } from '../lib/units.ts';
import { MAX_TIMESTAMP } from '../pass/vocabulary.ts';

/** The rules of the operator's queries and bodies. */

/** The confirmed approval of an operator's request. */
export const approval = v.optional(text);

/** Returns the rule that a body has exactly one of these fields. */
const hasOneOf =
  <Body>(...names: readonly (keyof Body)[]) =>
  (body: Body): boolean =>
    names.filter((name) => body[name] !== undefined).length === 1;

export const STUCK_SECONDS = 300;
const STUCK_MAX_SECONDS = 100 * 365 * DAY_SECONDS;

export const isCursor = (value: string) => parseCursor(value) !== undefined;

const limit = queryNumber(1, 100, 100);
const after = v.optional(
  v.pipe(
    text,
    v.check(isCursor, 'must be the "next" of a response'),
    v.transform((value) => parseCursor(value) as Cursor),
  ),
);

export const PageQuery = v.strictObject({ limit, after });
export const StuckQuery = v.strictObject({
  olderThan: queryNumber(0, STUCK_MAX_SECONDS, STUCK_SECONDS),
  limit,
  after,
});

export const LookUpQuery = v.strictObject({ gatekeeperNetwork: v.optional(gatekeeperNetwork) });

/** The names of a pass, with its gatekeeper network. */
export const FullNames = v.strictObject({ gatekeeperNetwork, chain: text, network: text, walletAddress: text });
export type FullNames = v.InferOutput<typeof FullNames>;

const RedriveFields = v.strictObject({
  pass: v.optional(FullNames),
  all: v.optional(v.literal('stuck', 'must be "stuck"')),
  olderThan: v.optional(wholeNumber(0, STUCK_MAX_SECONDS)),
  after,
  deadLetter: v.optional(text),
  deadLetters: v.optional(v.literal('all', 'must be "all"')),
  reason,
});
type RedriveFields = v.InferOutput<typeof RedriveFields>;

export const REDRIVE_CHOICES = ['pass', 'all', 'deadLetter', 'deadLetters'] as const;

export const hasOneChoice = hasOneOf<RedriveFields>(...REDRIVE_CHOICES);

export const pagesOnlyWithAll = ({ all, olderThan, after }: RedriveFields) =>
  all !== undefined || (olderThan === undefined && after === undefined);

export const RedriveBody = v.pipe(
  RedriveFields,
  v.check(hasOneChoice, `must have exactly one of ${REDRIVE_CHOICES.join(', ')}`),
  v.check(pagesOnlyWithAll, 'must not have olderThan or after without all'),
  v.transform(({ olderThan = STUCK_SECONDS, ...body }) => ({ ...body, olderThan })),
);

/** This number of ids fits into a body. */
const REBUILD_MAX_OBJECTS = 200;
const POSITION_MAX_CHARS = 1_000;
const objects = `must be a list of at most ${REBUILD_MAX_OBJECTS} ids`;
const position = `must be a string of 1 to ${POSITION_MAX_CHARS} characters, or null`;

export const RebuildBody = v.strictObject({
  shard: text,
  objects: v.pipe(
    v.array(v.pipe(text, v.regex(/^[0-9a-f]{64}$/, 'must be 64 digits of 0-9 and a-f')), objects),
    v.maxLength(REBUILD_MAX_OBJECTS, objects),
  ),
  start: v.optional(v.boolean('must be true or false')),
  position: v.optional(
    v.nullable(v.pipe(v.string(position), v.minLength(1, position), v.maxLength(POSITION_MAX_CHARS, position))),
  ),
  reason,
});

export type RebuildBody = v.InferOutput<typeof RebuildBody>;

/** A gatekeeper network that moves to a shard, or whose move the operator cancels. */
export const MoveBody = v.strictObject({
  gatekeeperNetwork,
  to: text,
  cancel: v.optional(v.boolean('must be true or false')),
  reason,
});

export type MoveBody = v.InferOutput<typeof MoveBody>;

/** The gatekeeper network and the network where the operator accepts the losses that a reconciliation holds back. */
export const AcceptBody = v.strictObject({
  accept: v.strictObject({ gatekeeperNetwork, network: text }),
  approval,
  reason,
});

/** The network, or one gatekeeper network on it, whose waiting issuances the operator abandons. */
export const AbandonBody = v.strictObject({
  chain: text,
  network: text,
  gatekeeperNetwork: v.optional(gatekeeperNetwork),
  approval,
  reason,
});

const WithdrawFields = v.strictObject({
  client: v.optional(text),
  gatekeeperNetwork: v.optional(gatekeeperNetwork),
  approval,
  reason,
});

export const hasClientOrNetwork = ({ client, gatekeeperNetwork }: v.InferOutput<typeof WithdrawFields>) =>
  client !== undefined || gatekeeperNetwork !== undefined;

/**
 * The client or the gatekeeper network whose unsigned steps the operator withdraws. With both fields, only the steps of the
 * client in that gatekeeper network.
 */
export const WithdrawBody = v.pipe(
  WithdrawFields,
  v.check(hasClientOrNetwork, 'must have client, gatekeeperNetwork, or both'),
);

const REVOCATION_MAX_PASSES = 200;
const passes = `must be a list of 1 to ${REVOCATION_MAX_PASSES} passes`;
const Passes = v.optional(
  v.pipe(v.array(FullNames, passes), v.minLength(1, passes), v.maxLength(REVOCATION_MAX_PASSES, passes)),
);

const time = v.optional(wholeNumber(0, MAX_TIMESTAMP));

const RevocationFields = v.strictObject({
  client: v.optional(text),
  from: time,
  to: time,
  gatekeeperNetwork: v.optional(gatekeeperNetwork),
  passes: Passes,
  wallets: Passes,
  reason: reason.wrapped,
  dryRun: v.optional(v.boolean('must be true or false')),
  after: v.optional(v.pipe(text, v.regex(/^[\da-f-]{1,36}$/, 'must be the "next" of a response'))),
  approval,
});
type RevocationFields = v.InferOutput<typeof RevocationFields>;

export const REVOCATION_CHOICES = ['client', 'gatekeeperNetwork', 'passes', 'wallets'] as const;

export const hasOneSelection = hasOneOf<RevocationFields>(...REVOCATION_CHOICES);

export const hasTimesWithClient = ({ client, from, to }: RevocationFields) =>
  client === undefined ? from === undefined && to === undefined : from !== undefined && to !== undefined && from <= to;

/** The passes, or the wallets without a pass, that the operator revokes. */
export const RevocationBody = v.pipe(
  RevocationFields,
  v.check(hasOneSelection, `must have exactly one of ${REVOCATION_CHOICES.join(', ')}`),
  v.check(hasTimesWithClient, 'must have from and to with client and only then, and from must not be after to'),
);
export type RevocationBody = v.InferOutput<typeof RevocationBody>;

const ApprovalFields = v.strictObject({ confirm: v.optional(text), reject: v.optional(text) });

export const hasOneDecision = hasOneOf<v.InferOutput<typeof ApprovalFields>>('confirm', 'reject');

export const ApprovalBody = v.pipe(ApprovalFields, v.check(hasOneDecision, 'must have either confirm or reject'));

/** The operator's query for the usage of all gatekeeper networks. */
export const AllUsageQuery = v.strictObject({
  month,
  limit: queryNumber(1, 100, 100),
  after: v.optional(gatekeeperNetwork),
  subjects,
});

/** The operator's query and body. */
export const WebhooksQuery = v.strictObject({
  limit: queryNumber(1, 100, 100),
  after: v.optional(gatekeeperNetwork),
});

const WebhookName = v.strictObject({ gatekeeperNetwork, id: WebhookId });

const SwitchFields = v.strictObject({ disable: v.optional(WebhookName), enable: v.optional(WebhookName), reason });

export const hasOneSwitch = hasOneOf<v.InferOutput<typeof SwitchFields>>('disable', 'enable');

export const SwitchWebhookBody = v.pipe(
  SwitchFields,
  v.check(hasOneSwitch, 'must have exactly one of disable and enable'),
);

/** The operator's query. */
export const AllAuditQuery = v.strictObject({
  trail: v.optional(
    v.union([v.literal(OPERATOR_TRAIL), gatekeeperNetwork], 'must be "operator" or a gatekeeper network'),
  ),
  ...AuditQuery.entries,
});

const argumentsRule = 'must be a list of at most 50 texts';

/** A command of the operator, with its arguments but without secrets. */
export const CommandBody = v.strictObject({
  command: visible(50),
  environment: visible(100),
  arguments: v.optional(v.pipe(v.array(visible(500), argumentsRule), v.maxLength(50, argumentsRule))),
  reason,
});
