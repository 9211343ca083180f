import { signerNamesOf } from '../../../config/signers.ts';
import { findNetwork } from '../../../network/networks.ts';
import { endWaitingSteps } from '../../../operations/end-waiting-steps.ts';
import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { AbandonBody, NoQuery } from '../../schemas/admin-requests.ts';

export const abandon = adminRoute({
  operationId: 'abandon',
  method: 'POST',
  path: '/admin/abandon',
  scope: 'admin',
  query: NoQuery,
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
