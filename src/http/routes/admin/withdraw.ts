import { signerNamesOf } from '../../../config/signers.ts';
import { endWaitingSteps } from '../../../operations/end-waiting-steps.ts';
import type { StepKind } from '../../../pass/task.ts';
import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { NoQuery, WithdrawBody } from '../../schemas/admin-requests.ts';

/** Revocations and freezes take access away, so they continue. */
const WITHDRAWN_KINDS: readonly StepKind[] = ['issue', 'set-expiry', 'unfreeze'];

export const withdraw = adminRoute({
  operationId: 'withdraw',
  method: 'POST',
  path: '/admin/withdraw',
  scope: 'admin',
  summary: 'End the unsigned steps of a client, or of a gatekeeper network, on all networks with RPC endpoints',
  description:
    'Ends up to 500 at a time, or up to 50 per signer if that is more: repeat the request while `more` is true. It ends issuances, new expiries and unfreezes with the reason `abandoned`; revocations and freezes continue. A pass that is not on chain becomes `REJECTED`, and any other pass keeps what the chain holds. It leaves steps for which a block may still include a transaction, and counts them. A pass whose signer had no room submits its step within two minutes: repeat the request then. Suspend the client first, or it requests the same again.',
  replies: { 202: { description: 'How many steps have ended.', body: 'Withdrawn' } },
  query: NoQuery,
  body: WithdrawBody,
  async handle({ body: { client, gatekeeperNetwork }, config, ...backend }) {
    if (client !== undefined && (await backend.store.findPartner(client, Date.now())) === undefined) {
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
