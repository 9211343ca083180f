import { signerNamesOf } from '../../../config/signers.ts';
import { endWaitingSteps } from '../../../operations/end-waiting-steps.ts';
import { kindsWith } from '../../../pass/step-kinds.ts';
import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { NoQuery, WithdrawBody } from '../../schemas/admin-requests.ts';

/** The kinds that a withdrawal ends. */
const WITHDRAWN_KINDS = kindsWith(({ takesAccessAway }) => !takesAccessAway);

export const withdraw = adminRoute({
  operationId: 'withdraw',
  method: 'POST',
  path: '/admin/withdraw',
  scope: 'admin',
  summary: 'End the unsigned steps of a client or a gatekeeper network, on all networks with RPC endpoints',
  description:
    'Ends up to 500 steps, or up to 50 per signer if that is more. Repeat the request while `more` is true. Issuances, new expiries and unfreezes end with the reason `abandoned`. Revocations and freezes continue. A pass that is not on chain becomes `REJECTED`, and any other pass keeps what the chain holds. The request leaves steps for which a block may still include a transaction, and counts them in `signed`. A pass whose signer had no room submits its step within two minutes: repeat the request then. Suspend the client first, otherwise it requests the same again.',
  replies: { 202: { description: 'The number of steps that have ended.', body: 'Withdrawn' } },
  query: NoQuery,
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
