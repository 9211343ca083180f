import { signersOn } from '../../config/signers.ts';
import { logFault } from '../../log/log.ts';
import { type OnChain, passName } from '../../pass/pass.ts';
import type { PassObject } from '../../pass-object/pass-object.ts';
import { READ_PRIMARY } from '../../store/bookmarked-reads.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { refuse } from '../protocol/problem.ts';
import { refuseUnavailable } from '../protocol/unavailable.ts';
import { publishPass } from '../publish-pass.ts';
import { reply, route } from '../route.ts';
import { PassRecord } from '../schemas/replies.ts';
import { WalletPath } from '../schemas/requests.ts';

export const syncPass = route({
  operationId: 'syncPass',
  method: 'POST',
  path: '/pass/:chain/:chainNetwork/:wallet/sync',
  scope: 'update',
  summary: 'Read the pass from the chain, and record what somebody else changed',
  description:
    'Sends no transaction, and makes no pass. Answers the pass as it is while a transaction of this service is under way for the wallet. 503 where the chain cannot be read.',
  params: WalletPath,
  replies: { 200: { description: 'The pass as it is then.', body: PassRecord, headers: ['Gatepass-Bookmark'] } },
  refuses: ['unknown_network', 'invalid_wallet', 'network_not_enabled', 'pass_not_found'],
  async handle({ params, partner, config, env }) {
    const subject = passTargetOf({ ...params, walletAt: '/wallet' }, partner, config);
    if ('code' in subject) return subject;
    const { key, network } = subject;
    const pass = env.PASSES.getByName(passName(key));
    const known = await pass.readOnChain();
    if (known === undefined) return refuse('pass_not_found');
    if (signersOn(config, network).length === 0) return refuse('network_not_enabled');

    const [reading] = await env.SIGNERS.getByName(known.signer).readPasses([
      { pass: known.id, key, known: known.onChain },
    ]);
    if (reading === undefined || reading.type === 'unreadable') {
      logFault('sync', reading?.why, { network: network.network });
      return refuseUnavailable();
    }
    // Busy: a step of ours is under way for that wallet, and looks at the chain by itself.
    const synced = reading.type === 'busy' ? await asItIs(pass) : await learned(pass, reading.onChain, env);
    return synced === undefined ? refuse('pass_not_found') : reply(200, synced.record, synced.id, synced.bookmark);
  },
});

async function learned(pass: DurableObjectStub<PassObject>, onChain: OnChain, env: Env) {
  const synced = await pass.adoptReading(onChain);
  return synced && { ...synced.publication, bookmark: await publishPass(synced, env) };
}

/** The read model may be behind it. */
async function asItIs(pass: DurableObjectStub<PassObject>) {
  const projection = await pass.readPublication();
  return projection && { ...projection, bookmark: READ_PRIMARY };
}
