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
