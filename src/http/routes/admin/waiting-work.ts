import type { Config } from '../../../config/config.ts';
import { signerNamesOf } from '../../../config/signers.ts';
import { formatCursor } from '../../../lib/cursor.ts';
import { findNetwork } from '../../../network/networks.ts';
import { canonicalWallet } from '../../../network/wallet.ts';
import type { Backend } from '../../../operations/backend.ts';
import { endWaitingSteps } from '../../../operations/end-waiting-steps.ts';
import {
  type RedriveResult,
  redriveDeadLetter,
  redriveDeadLetters,
  redrivePass,
  redriveStuck,
} from '../../../operations/redrive.ts';
import { kindsWith } from '../../../pass/step-kinds.ts';
import type { DeadLetter } from '../../../store/dead-letters.ts';
import { refuseWallet } from '../../pass/pass-target.ts';
import { type Refusal, refuse } from '../../protocol/problem.ts';
import { refuseUnavailable } from '../../protocol/refuse-fault.ts';
import { type Reply, reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { AbandonBody, PageQuery, type Redrive, RedriveBody, WithdrawBody } from '../../schemas/admin-requests.ts';

const redrive = adminRoute({
  operationId: 'redrive',
  method: 'POST',
  path: '/admin/redrive',
  scope: 'admin',
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

async function redriveOne(
  { gatekeeperNetwork, chain, network, walletAddress }: NonNullable<Redrive['pass']>,
  { networks }: Config,
  backend: Backend,
): Promise<Reply | Refusal> {
  const row = findNetwork(networks, chain, network);
  if (row === undefined) {
    return refuse('unknown_network', {
      errors: [{ pointer: '/pass/network', detail: 'must be a network of the chain' }],
    });
  }
  const wallet = canonicalWallet(row.chain, walletAddress);
  if (wallet === undefined) return refuseWallet('/pass/walletAddress', 'must be an address of the chain');
  const key = { gatekeeperNetwork, chain: row.chain, network, wallet };
  const redriven = await redrivePass(key, backend);
  return redriven === undefined ? refuse('pass_not_found') : accepted(redriven);
}

const accepted = (redriven: RedriveResult) => reply(202, JSON.stringify(redriven));

const abandon = adminRoute({
  operationId: 'abandon',
  method: 'POST',
  path: '/admin/abandon',
  scope: 'admin',
  body: AbandonBody,
  async handle({ body: { chain, network: name, gatekeeperNetwork }, config, ...backend }) {
    const network = findNetwork(config.networks, chain, name);
    if (network === undefined) {
      return refuse('unknown_network', { errors: [{ pointer: '/network', detail: 'must be a network of the chain' }] });
    }
    const which = { kinds: ['issue'], gatekeeperNetwork } as const;
    const { ended: abandoned, ...rest } = await endWaitingSteps(which, signerNamesOf(config, network), backend);
    return reply(202, JSON.stringify({ abandoned, ...rest }));
  },
});

/** The kinds that a withdrawal ends. */
const WITHDRAWN_KINDS = kindsWith(({ takesAccessAway }) => !takesAccessAway);

const withdraw = adminRoute({
  operationId: 'withdraw',
  method: 'POST',
  path: '/admin/withdraw',
  scope: 'admin',
  body: WithdrawBody,
  async handle({ body: { client, gatekeeperNetwork }, config, ...backend }) {
    if (client !== undefined && (await backend.store.findPartner('client', client, Date.now())) === undefined) {
      return refuse('invalid_request', { errors: [{ pointer: '/client', detail: 'must be a registered client' }] });
    }
    const signers = config.networks.flatMap((network) =>
      (config.rpc[network.network] ?? []).length === 0 ? [] : signerNamesOf(config, network),
    );
    const which = { kinds: WITHDRAWN_KINDS, client, gatekeeperNetwork };
    const { ended: withdrawn, ...rest } = await endWaitingSteps(which, signers, backend);
    return reply(202, JSON.stringify({ withdrawn, ...rest }));
  },
});

const listDeadLetters = adminRoute({
  operationId: 'listDeadLetters',
  method: 'GET',
  path: '/admin/dead-letters',
  scope: 'admin',
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

export const waitingWorkRoutes = [redrive, abandon, withdraw, listDeadLetters];
