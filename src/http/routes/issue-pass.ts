import { chooseSigner, signerNameOf } from '../../config/signers.ts';
import { passName } from '../../pass/pass.ts';
import { refuseForbidden } from '../access/forbidden.ts';
import { publishAndAwait } from '../await-settlement.ts';
import { passReply } from '../pass/pass-reply.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { refuse } from '../protocol/problem.ts';
import { route } from '../route.ts';
import { PassRecord } from '../schemas/replies.ts';
import { IssueBody, NetworkPath } from '../schemas/requests.ts';

export const issuePass = route({
  operationId: 'issuePass',
  method: 'POST',
  path: '/pass/:chain/:chainNetwork',
  scope: 'issue',
  summary: 'Start the issuance of a pass for a wallet',
  description:
    'The pass is stored, and issued on the chain behind the answer. Asking again changes nothing and never sends a second transaction; it tries a `REJECTED` pass again, and renews an expired one where passes of the partner have a default lifetime. A token that the wallet has already is adopted as it is.',
  params: NetworkPath,
  body: IssueBody,
  waits: true,
  replies: {
    202: { description: 'The pass as it stands.', body: PassRecord, headers: ['Gatepass-Bookmark'] },
  },
  refuses: [
    'unknown_network',
    'invalid_wallet',
    'network_not_enabled',
    'network_not_allowed',
    'pass_frozen',
    'pass_revoked',
    'pass_expired',
    'quota_reached',
  ],
  async handle({ params, body, partner, wait, config, env }) {
    const subject = passTargetOf(
      { ...params, wallet: body.walletAddress, walletAt: '/walletAddress' },
      partner,
      config,
    );
    if ('code' in subject) return subject;
    const { key, network } = subject;
    if (partner.networks !== undefined && !partner.networks.includes(network.network))
      return refuseForbidden('network_not_allowed');
    const name = passName(key);
    const signer = chooseSigner(config, network, name);
    if (signer === undefined) return refuse('network_not_enabled');

    const { clientId, passLifetime: lifetime, dailyIssuances: daily, shard } = partner;
    const quota = daily === undefined ? undefined : { clientId, daily };
    const request = { key, signer: signerNameOf(signer), shard, lifetime };
    const requested = await env.PASSES.getByName(name).request(request, quota);
    if ('retryAfter' in requested)
      return refuse(requested.refused, { headers: { 'retry-after': String(requested.retryAfter) } });
    if ('refused' in requested) return refuse(requested.refused);
    return passReply(202, await publishAndAwait(requested, wait, env));
  },
});
