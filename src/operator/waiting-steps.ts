import { isEnabledFor, signerNamesFor } from '../config/signers.ts';
import { type Refusal, refuse, refuseField, refuseUnavailable } from '../http/protocol/problem.ts';
import { reply } from '../http/protocol/reply.ts';
import { type AuditedReply, acts, adminRoute } from '../http/route.ts';
import { callObject } from '../message/call-object.ts';
import { trySendProcessPasses } from '../message/queue.ts';
import { parseSignerName, type SignerName } from '../network/network.ts';
import { findNetwork } from '../network/networks.ts';
import type { Backend } from '../operations/backend.ts';
import type { PassKey } from '../pass/pass.ts';
import { kindsWith } from '../pass/step-kinds.ts';
import type { WaitingSteps } from '../signer-object/step-queries.ts';
import { AbandonBody, WithdrawBody } from './requests.ts';
import { type AskedAction, withSecondPerson } from './second-person.ts';

interface EndedWork {
  /** Number of steps that this request has ended. */
  readonly ended: number;
  /** Number of steps that are left because bytes were signed for them: a block may still include these. */
  readonly signed: number;
  /** Whether another request can end more steps. */
  readonly more: boolean;
}

const REQUEST_MAX_STEPS = 500;
/** The limit per signer is at least this, so that one busy signer among idle ones takes few requests. */
const SIGNER_MIN_STEPS = 50;

/** Returns the maximum number of steps that a request to this number of signers ends at each of them. */
const stepsPerSigner = (signers: number): number =>
  Math.max(SIGNER_MIN_STEPS, Math.ceil(REQUEST_MAX_STEPS / Math.max(1, signers)));
/** Longer than for other calls, because a signer first finishes the run that is under way. */
const SIGNER_TIMEOUT_MS = 8_000;

/** Returns the number of waiting steps that can be ended; undefined if a signer does not answer. */
async function countWaitingSteps(
  which: WaitingSteps,
  signers: readonly SignerName[],
  { signerObject }: Backend,
): Promise<number | undefined> {
  const counts = await Promise.all(
    signers.map((name) => callObject(async () => signerObject(name).endWaitingSteps(which, 0), 'signer', name)),
  );
  return counts.includes(undefined) ? undefined : counts.reduce((sum, count) => sum + (count?.waiting ?? 0), 0);
}

/** Makes these signers end a slice of the waiting steps. The passes return to the on-chain state. Safe to repeat. */
async function endWaitingSteps(
  which: WaitingSteps,
  signers: readonly SignerName[],
  { signerObject, queue }: Backend,
): Promise<EndedWork> {
  const limit = stepsPerSigner(signers.length);
  const results = await Promise.all(
    signers.map(async (name) => {
      const end = async () => signerObject(name).endWaitingSteps(which, limit);
      return { name, result: await callObject(end, 'signer', name, SIGNER_TIMEOUT_MS) };
    }),
  );
  const messages = results.flatMap(({ name, result }) => {
    const { chain, network } = parseSignerName(name);
    return (result?.ended ?? []).map(({ pass, ...key }) => ({
      pass: { ...key, chain, network } as PassKey,
      news: { signer: name, id: pass },
    }));
  });
  // If the messages are lost, the signers announce these outcomes, and the passes ask for them.
  await trySendProcessPasses(queue, messages);
  return {
    ended: messages.length,
    signed: results.reduce((sum, { result }) => sum + (result?.signed ?? 0), 0),
    more: results.some(({ result }) => result === undefined || result.waiting > 0),
  };
}

const abandon = adminRoute({
  ...acts('abandon', '/admin/abandon', 'operator.abandon'),
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
  ...acts('withdraw', '/admin/withdraw', 'operator.withdraw'),
  body: WithdrawBody,
  async handle({ body, config, requestId, ...backend }) {
    const { client, gatekeeperNetwork } = body;
    const partner = client === undefined ? undefined : await backend.store.findPartner('client', client, Date.now());
    if (client !== undefined && partner === undefined) {
      return refuseField('/client', 'must be a registered client');
    }
    const key = gatekeeperNetwork ?? partner?.gatekeeperNetwork ?? '';
    const signers = config.networks.flatMap((network) =>
      isEnabledFor(key, config, network).canRead ? signerNamesFor(key, config, network) : [],
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

export const endingRoutes = [abandon, withdraw];
