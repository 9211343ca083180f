import { enabledNetwork, signerName } from '../../config/enabled.ts';
import { logFault } from '../../log/log.ts';
import { sendLooks } from '../../message/look.ts';
import { passName } from '../../pass/pass.ts';
import { type Projection, projectPasses } from '../../store/passes.ts';
import { forbidden } from '../forbidden.ts';
import { subjectOf } from '../pass-path.ts';
import { refuse } from '../problem.ts';
import { reply, route } from '../route.ts';
import { IssueBody, NetworkPath } from '../schemas.ts';

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
    const enabled = enabledNetwork(config, network);
    if (enabled === undefined) return refuse('network_not_enabled');

    const lifetime = partner.passLifetime;
    const requested = await env.PASSES.getByName(passName(key)).request({ key, signer: signerName(enabled), lifetime });
    if ('refused' in requested) return refuse(requested.refused);
    // Also when it was asked for before: a partner that asks again is a reason to look again.
    if (!requested.settled) await spread(requested.projection, env);
    return reply(202, requested.projection.record);
  },
});

/**
 * The wish is stored, with an alarm that sees to it: it is accepted, whatever happens here. The read model is for
 * those who search, the message for those who do not want to wait for the alarm.
 */
async function spread(projection: Projection, env: Env): Promise<void> {
  const faults = await Promise.allSettled([
    projectPasses(env.DB, [projection]),
    sendLooks(env.LOOKS, [projection.key]),
  ]);
  for (const fault of faults) {
    if (fault.status === 'rejected') logFault('spread', fault.reason, { pass: projection.id });
  }
}
