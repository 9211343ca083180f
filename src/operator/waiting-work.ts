import type { Config } from '../config/config.ts';
import { signerNamesFor } from '../config/signers.ts';
import { type Refusal, refuse, refuseUnavailable } from '../http/protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../http/protocol/reply.ts';
import { type AuditedReply, adminRoute } from '../http/route.ts';
import { formatCursor } from '../lib/cursor.ts';
import { callObject } from '../message/call-object.ts';
import { findNetwork } from '../network/networks.ts';
import { isSandbox } from '../network/sandbox.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Backend } from '../operations/backend.ts';
import { kindsWith } from '../pass/step-kinds.ts';
import { progress, remedyOf, type StuckReason } from '../pass/wait-reasons.ts';
import type { Inspection } from '../pass-object/results.ts';
import type { WaitingSteps } from '../signer-object/step-queries.ts';
import type { DeadLetter } from '../store/dead-letters.ts';
import type { Unsettled } from '../store/unsettled.ts';
import { countWaitingSteps, endWaitingSteps, stepsPerSigner } from './end-waiting-steps.ts';
import { readReasons } from './look-up-wallet.ts';
import { type RedriveResult, redriveDeadLetter, redriveDeadLetters, redrivePass, redriveStuck } from './redrive.ts';
import {
  AbandonBody,
  PageQuery,
  type PassNames,
  passKeyOf,
  RedriveBody,
  StuckQuery,
  WithdrawBody,
} from './requests.ts';
import { type AskedAction, withSecondPerson } from './second-person.ts';

const redrive = adminRoute({
  operationId: 'redrive',
  method: 'POST',
  path: '/admin/redrive',
  right: 'act',
  action: 'operator.redrive',
  body: RedriveBody,
  async handle({ body: { pass, all, olderThan, after, deadLetter }, config, ...backend }) {
    if (pass !== undefined) return redriveOne(pass, config, backend);
    if (all !== undefined) return accepted(await redriveStuck({ olderThanSeconds: olderThan, after }, backend));
    const redriven =
      deadLetter === undefined ? await redriveDeadLetters(backend) : await redriveDeadLetter(deadLetter, backend);
    if (redriven === 'not-found')
      return refuse('not_found', { detail: 'No dead letter has this id. GET /admin/dead-letters lists the ids.' });
    return redriven === 'queue-unavailable' ? refuseUnavailable() : accepted(redriven);
  },
});

async function redriveOne(names: PassNames, config: Config, backend: Backend): Promise<Reply | Refusal> {
  const key = passKeyOf(names, '/pass', config);
  if (isRefusal(key)) return key;
  const redriven = await redrivePass(key, backend);
  return redriven === undefined ? refuse('pass_not_found') : accepted(redriven);
}

const accepted = (redriven: RedriveResult) => reply(202, JSON.stringify(redriven));

const abandon = adminRoute({
  operationId: 'abandon',
  method: 'POST',
  path: '/admin/abandon',
  right: 'act',
  action: 'operator.abandon',
  body: AbandonBody,
  async handle({ body, config, requestId, ...backend }) {
    const { chain, network: name, gatekeeperNetwork } = body;
    const network = findNetwork(config.networks, chain, name);
    if (network === undefined) {
      return refuse('unknown_network', { errors: [{ pointer: '/network', detail: 'must be a network of the chain' }] });
    }
    const which = { kinds: ['issue'], gatekeeperNetwork } as const;
    return endSteps('abandon', which, signerNamesFor(gatekeeperNetwork ?? '', config, network), {
      body,
      config,
      requestId,
      ...backend,
    });
  },
});

const WITHDRAWN_KINDS = kindsWith(({ takesAccessAway }) => !takesAccessAway);

const withdraw = adminRoute({
  operationId: 'withdraw',
  method: 'POST',
  path: '/admin/withdraw',
  right: 'act',
  action: 'operator.withdraw',
  body: WithdrawBody,
  async handle({ body, config, requestId, ...backend }) {
    const { client, gatekeeperNetwork } = body;
    const partner = client === undefined ? undefined : await backend.store.findPartner('client', client, Date.now());
    if (client !== undefined && partner === undefined) {
      return refuse('invalid_request', { errors: [{ pointer: '/client', detail: 'must be a registered client' }] });
    }
    const key = gatekeeperNetwork ?? partner?.gatekeeperNetwork ?? '';
    const signers = config.networks.flatMap((network) =>
      isSandbox(key) || config.rpc[network.network]?.length ? signerNamesFor(key, config, network) : [],
    );
    const which = { kinds: WITHDRAWN_KINDS, client, gatekeeperNetwork };
    return endSteps('withdraw', which, signers, { body, config, requestId, ...backend });
  },
});

const ENDED = { abandon: 'abandoned', withdraw: 'withdrawn' } as const;

/** Ends a slice of the waiting steps, perhaps after a second person has confirmed it. */
function endSteps(
  kind: keyof typeof ENDED,
  which: WaitingSteps,
  signers: readonly SignerName[],
  asked: AskedAction & Backend,
): Promise<AuditedReply | Refusal> {
  return withSecondPerson(asked, {
    kind,
    slice: signers.length * stepsPerSigner(signers.length),
    count: async () => (await countWaitingSteps(which, signers, asked)) ?? refuseUnavailable(),
    async run() {
      const { ended, ...rest } = await endWaitingSteps(which, signers, asked);
      const counts = { [ENDED[kind]]: ended, ...rest };
      return { done: ended, hasMore: rest.more, reply: { ...reply(202, JSON.stringify(counts)), audit: { counts } } };
    },
  });
}

const listDeadLetters = adminRoute({
  operationId: 'listDeadLetters',
  method: 'GET',
  path: '/admin/dead-letters',
  right: 'read',
  query: PageQuery,
  async handle({ query: { limit, after }, store }) {
    const letters = await store.findDeadLetters({ limit, after });
    const last = letters.length === limit ? letters.at(-1) : undefined;
    return reply(200, JSON.stringify({ deadLetters: letters.map(toJson), next: last ? formatCursor(last) : null }));
  },
});

/** Returns the letter with its body as it was sent. The body is null if it was too large to keep; it cannot be sent again. */
function toJson({ id, at, reason, body }: DeadLetter) {
  return { id, at, reason, body: body === undefined ? null : JSON.parse(body) };
}

const listStuckPasses = adminRoute({
  operationId: 'listStuckPasses',
  method: 'GET',
  path: '/admin/stuck',
  right: 'read',
  query: StuckQuery,
  async handle({ query: { olderThan, limit, after }, ...backend }) {
    const before = Math.floor(Date.now() / 1000) - olderThan;
    const { passes: rows, unread } = await backend.store.findUnsettled({ before, limit, after });
    const inspected = await Promise.all(rows.map((row) => inspectPass(row, backend)));
    // A pass that has settled meanwhile removes itself from the list soon.
    const stuck = inspected.filter(({ inspection }) => inspection?.isSettled !== true);
    const reasons = await readReasons(
      stuck.map(({ row, inspection }) => ({ ...row, inspection })),
      backend,
    );
    const last = rows.length === limit ? rows.at(-1) : undefined;
    const next = last === undefined ? null : formatCursor({ at: last.since, id: last.id });
    const unreadShards = unread.length > 0 ? unread : undefined;
    return reply(200, JSON.stringify({ stuck: stuck.map((each) => stuckJson(each, reasons)), next, unreadShards }));
  },
});

interface InspectedPass {
  readonly row: Unsettled;
  readonly inspection: Inspection | undefined;
}

async function inspectPass(row: Unsettled, { passObject }: Backend): Promise<InspectedPass> {
  return { row, inspection: await callObject(async () => passObject(row.key).inspect(), 'pass', row.id) };
}

function stuckJson({ row, inspection }: InspectedPass, reasons: ReadonlyMap<string, StuckReason>) {
  const { gatekeeperNetwork, chain, network, wallet } = row.key;
  const { code, text, remedy } =
    inspection === undefined ? progress('object-unreachable') : (reasons.get(row.id) ?? progress('not-begun'));
  return {
    pass: { id: row.id, gatekeeperNetwork, chain: { type: chain, network }, walletAddress: wallet },
    since: row.since,
    step: inspection?.step && { id: inspection.step.id, kind: inspection.step.kind },
    tries: inspection?.tries,
    code,
    reason: text,
    remedy: remedy ?? remedyOf(code),
  };
}

export const waitingWorkRoutes = [listStuckPasses, redrive, abandon, withdraw, listDeadLetters];
