import { signerFor, signerName } from '../../config/enabled.ts';
import { passName } from '../../pass/pass.ts';
import { forbidden } from '../forbidden.ts';
import { subjectOf } from '../pass-path.ts';
import { refuse } from '../problem.ts';
import { reply, route } from '../route.ts';
import { IssueBody, NetworkPath } from '../schemas.ts';
import { spread } from '../spread.ts';

export const issuePass = route({
  method: 'POST',
  path: '/pass/:chain/:chainNetwork',
  scope: 'issue',
  summary: 'Start the issuance of a pass for a wallet',
  params: NetworkPath,
  body: IssueBody,
  async handle({ params, body, partner, config, env }) {
    const subject = subjectOf({ ...params, wallet: body.walletAddress, walletAt: '/walletAddress' }, partner, config);
    if ('code' in subject) return subject;
    const { key, network } = subject;
    if (partner.networks !== undefined && !partner.networks.includes(network.network))
      return forbidden('network_not_allowed');
    const name = passName(key);
    const signer = signerFor(config, network, name);
    if (signer === undefined) return refuse('network_not_enabled');

    const { clientId, passLifetime: lifetime, dailyIssuances: daily, shard } = partner;
    const quota = daily === undefined ? undefined : { clientId, daily };
    const request = { key, signer: signerName(signer), shard, lifetime };
    const requested = await env.PASSES.getByName(name).request(request, quota);
    if ('retryAfter' in requested)
      return refuse(requested.refused, { headers: { 'retry-after': String(requested.retryAfter) } });
    if ('refused' in requested) return refuse(requested.refused);
    const { record, id } = requested.projection;
    return reply(202, record, id, await spread(requested, env));
  },
});
