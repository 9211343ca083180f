import type { GenericSchema, InferOutput } from 'valibot';
import type { Config } from '../../config/config.ts';
import type { UnixSeconds } from '../../lib/units.ts';
import { callObject } from '../../message/call-object.ts';
import { handOver } from '../../message/hand-over.ts';
import type { Network } from '../../network/network.ts';
import type { Backend } from '../../operations/backend.ts';
import { type PassKey, type PassName, passName } from '../../pass/pass.ts';
import type { Accepted } from '../../pass-object/results.ts';
import type { Partner } from '../../store/partners.ts';
import {
  askObjectToChange,
  askObjectToIssue,
  contractForNew,
  givesAccess,
  IN_ITEM,
  issuanceTargetOf,
  namesInItem,
  type PassTarget,
  refuseWaitingWork,
  showPass,
  updateTargetOf,
} from '../pass/pass-requests.ts';
import { BODY_MAX_DEPTH, exceedsDepth, TOO_DEEP } from '../protocol/json-body.ts';
import { type FieldError, problemOf, type Refusal, refuse, refuseUnavailable } from '../protocol/problem.ts';
import { BOOKMARK, isRefusal, type Reply } from '../protocol/reply.ts';
import { validate } from '../protocol/validate.ts';
import { route } from '../route.ts';
import { IssueItem, ItemsBody, UpdateItem } from '../schemas/requests.ts';

const issuePasses = route({
  operationId: 'issuePasses',
  method: 'POST',
  path: '/passes',
  scope: 'issue',
  bulk: true,
  body: ItemsBody,
  async handle({ body: { items: inputs }, partner, actor, config, requestId, backend }) {
    const asking = { partner, config, now: await backend.timeOf(partner.gatekeeperNetwork) };
    const read = readItems(
      inputs,
      IssueItem,
      (item) => issuanceTargetOf(namesInItem(item), item.expiryTimestamp, asking, IN_ITEM),
      ({ expiryTimestamp: expiry, reference, subject }) => ({ expiry, reference, subject }),
    );
    if (isRefusal(read)) return read;
    const beyondLimit = await itemsBeyondLimit(read.byPass, partner, config, backend);
    const hasRoom = await backend.store.hasRoom(partner);
    const contracts = new Map<Network, Promise<string>>();
    return answerItems(
      read,
      async ({ key, network, request }, name) => {
        if (beyondLimit.has(name)) return refuseWaitingWork();
        const chosen = contracts.get(network) ?? contractForNew(partner, network, config, backend);
        contracts.set(network, chosen);
        const issuance = {
          ...request,
          isBulk: true,
          waits: false,
          hasRoom,
          contract: await chosen,
          by: { actor, requestId },
        };
        return askObjectToIssue(key, partner, issuance, backend);
      },
      { status: 202, now: asking.now, requestId },
      backend,
    );
  },
});

const updatePasses = route({
  operationId: 'updatePasses',
  method: 'PATCH',
  path: '/passes',
  scope: 'update',
  bulk: true,
  body: ItemsBody,
  async handle({ body: { items: inputs }, partner, actor, config, requestId, backend }) {
    const asking = { partner, config, now: await backend.timeOf(partner.gatekeeperNetwork) };
    const read = readItems(
      inputs,
      UpdateItem,
      ({ state, expiryTimestamp: expiry, ...item }) =>
        updateTargetOf(namesInItem(item), { state, expiry }, asking, IN_ITEM),
      ({ state, expiryTimestamp: expiry, reference, subject, reason }) => ({
        state,
        expiry,
        reference,
        subject,
        reason,
      }),
    );
    if (isRefusal(read)) return read;
    const limited = [...read.byPass].filter(([, { request }]) => givesAccess(request));
    const beyondLimit = await itemsBeyondLimit(limited, partner, config, backend);
    return answerItems(
      read,
      async ({ key, request: { reason, ...request } }, name) => {
        if (beyondLimit.has(name)) return refuseWaitingWork();
        return askObjectToChange({ key, partner, by: { actor, requestId, reason } }, request, false, backend);
      },
      { status: 200, now: asking.now, requestId },
      backend,
    );
  },
});

/** An item of a bulk request, whose fields are valid. */
interface Item<Request> {
  readonly key: PassKey;
  readonly network: Network;
  /** The request without the names of the pass. */
  readonly request: Request;
}

/** A subject admits its passes one by one. */
const SUBJECT_TIMEOUT_MS = 20_000;

/** The items of a bulk request. Several may name the same pass. */
interface Items<Request> {
  /** For each item of the body, the pass that it names, or why it is refused. */
  readonly named: readonly (PassName | Refusal)[];
  readonly byPass: ReadonlyMap<PassName, Item<Request>>;
}

/** The body and its list of items are two levels. */
const ITEM_MAX_DEPTH = BODY_MAX_DEPTH - 2;

/**
 * Reads the items one by one, so that a bad item stops no other. Refuses the whole request if two items ask for different changes of
 * one pass.
 * @param targetOf Returns the pass of a valid item, or why the item is refused.
 * @param requestOf Returns the request of the item as plain values, which can be compared.
 */
function readItems<Schema extends GenericSchema, Request>(
  inputs: readonly unknown[],
  schema: Schema,
  targetOf: (fields: InferOutput<Schema>) => PassTarget | Refusal,
  requestOf: (fields: InferOutput<Schema>) => Request,
): Items<Request> | Refusal {
  const byPass = new Map<PassName, Item<Request> & { readonly index: number }>();
  const conflicts: FieldError[] = [];
  const named = inputs.map((input, index) => {
    if (exceedsDepth(input, ITEM_MAX_DEPTH)) return TOO_DEEP;
    const valid = validate(schema, input);
    if (isRefusal(valid)) return atItem(valid, index);
    const fields = valid.output as InferOutput<Schema>;
    const target = targetOf(fields);
    if (isRefusal(target)) return atItem(target, index);
    const [name, request] = [passName(target.key), requestOf(fields)];
    const other = byPass.get(name);
    if (other === undefined) byPass.set(name, { ...target, request, index });
    else if (!isSame(other.request, request)) conflicts.push(...conflictOf(other.index, index));
    return name;
  });
  return conflicts.length > 0
    ? refuse('invalid_request', { errors: conflicts.slice(0, MAX_ERRORS) })
    : { named, byPass };
}

const MAX_ERRORS = 20;

const pointerTo = (index: number) => `/items/${index}`;

/** Returns the refusal with pointers into the body of the whole request. */
function atItem(refusal: Refusal, index: number): Refusal {
  const errors = refusal.errors?.map(({ pointer, detail }) => ({ pointer: pointerTo(index) + pointer, detail }));
  return { ...refusal, errors };
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

function conflictOf(first: number, second: number): FieldError[] {
  const differs = (other: number) => `asks for another change of the same pass than ${pointerTo(other)}`;
  return [
    { pointer: pointerTo(first), detail: differs(second) },
    { pointer: pointerTo(second), detail: differs(first) },
  ];
}

/**
 * Returns the passes whose items exceed the limit of waiting work on their network. The first items of each network get the room.
 * @param items Only those that the limit concerns.
 */
async function itemsBeyondLimit(
  items: Iterable<readonly [PassName, Item<unknown>]>,
  partner: Partner,
  config: Config,
  backend: Backend,
): Promise<Set<PassName>> {
  const byNetwork = Map.groupBy(items, ([, { network }]) => network);
  const beyond = [...byNetwork].map(async ([network, group]) => {
    const room = await backend.waitingWork.acceptItems(group.length, partner, network, config, backend);
    return group.slice(room).map(([name]) => name);
  });
  return new Set((await Promise.all(beyond)).flat());
}

type Result = Accepted | Refusal;

interface Answering {
  /** The status of an accepted item. */
  readonly status: number;
  /** The time of the gatekeeper network. */
  readonly now: UnixSeconds;
  readonly requestId: string;
}

/**
 * Asks the object of each pass once, publishes all accepted changes together, and returns the results in the order of the items. A
 * pass whose object does not answer gets a refusal that is worth a retry.
 */
async function answerItems<Request extends { readonly subject?: string | null | undefined }>(
  { named, byPass }: Items<Request>,
  ask: (item: Item<Request>, name: PassName) => Promise<Result>,
  answering: Answering,
  backend: Backend,
): Promise<Reply> {
  const asked = [...byPass].map(async ([name, item]): Promise<[PassName, Result]> => {
    const timeoutMs = item.request.subject ? SUBJECT_TIMEOUT_MS : undefined;
    return [name, (await callObject(() => ask(item, name), 'pass', name, timeoutMs)) ?? refuseUnavailable()];
  });
  const results = new Map(await Promise.all(asked));
  const accepted = [...results.values()].filter((result): result is Accepted => !isRefusal(result));
  const { bookmark } = await handOver(accepted, { ...backend, queue: backend.bulkQueue });
  const answers = named.map((name) => {
    const result = typeof name === 'string' ? results.get(name) : name;
    return resultOf(result ?? refuseUnavailable(), answering);
  });
  return { status: 200, body: `{"results":[${answers.join()}]}`, headers: { [BOOKMARK]: bookmark } };
}

/** Returns the JSON of a result. */
function resultOf(result: Result, { status: accepted, now, requestId }: Answering): string {
  if (!isRefusal(result)) {
    const settled = result.publish === 'record' || result.publish === 'nothing';
    return `{"status":${accepted},"settled":${settled},"record":${showPass(result.publication, now).body}}`;
  }
  const { status, body } = problemOf(result, requestId);
  const retryAfter = result.headers?.['retry-after'];
  return `{"status":${status},"problem":${body}${retryAfter === undefined ? '' : `,"retryAfter":${retryAfter}`}}`;
}

export const bulkPassRoutes = [issuePasses, updatePasses];
