import { signerNamesOf } from '../../../config/signers.ts';
import { findNetwork } from '../../../network/networks.ts';
import { abandonIssuances } from '../../../operations/abandon-issuances.ts';
import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { AbandonBody, NoQuery } from '../../schemas/admin-requests.ts';

export const abandon = adminRoute({
  operationId: 'abandon',
  method: 'POST',
  path: '/admin/abandon',
  scope: 'admin',
  summary: 'Abandon the waiting issuances of a network, or of one gatekeeper network on it',
  description:
    'Ends up to 500 at a time: repeat it while `more` is true. Their passes become `REJECTED` with the reason `abandoned`, and partners may ask for them again. It leaves issuances that have signed bytes, and counts them. Passes whose signer had no room submit their issuances within two minutes: repeat the request then.',
  replies: { 202: { description: 'How many issuances have ended.', body: 'Abandoned' } },
  refuses: ['unknown_network'],
  query: NoQuery,
  body: AbandonBody,
  async handle({ body: { chain, network: name, gatekeeperNetwork }, config, ...backend }) {
    const network = findNetwork(config.networks, chain, name);
    if (network === undefined) {
      return refuse('unknown_network', { errors: [{ pointer: '/network', detail: 'must be one of its chain' }] });
    }
    const signers = signerNamesOf(config, network);
    return reply(202, JSON.stringify(await abandonIssuances({ network, signers, gatekeeperNetwork }, backend)));
  },
});
