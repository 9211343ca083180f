import { signersOn } from '../../config/signers.ts';
import { logFault } from '../../log/log.ts';
import type { Backend } from '../../operations/backend.ts';
import { publishPass } from '../../operations/publish-pass.ts';
import type { PassView } from '../../operations/read-from-object.ts';
import type { OnChain, PassKey } from '../../pass/pass.ts';
import { READ_PRIMARY } from '../../store/bookmarked-reads.ts';
import type { Publication } from '../../store/passes.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../protocol/reply.ts';
import { refuseUnavailable } from '../protocol/transient-error.ts';
import { route } from '../route.ts';
import { WalletPath } from '../schemas/requests.ts';

export const syncPass = route({
  operationId: 'syncPass',
  method: 'POST',
  path: '/pass/:chain/:chainNetwork/:wallet/sync',
  scope: 'update',
  summary: 'Read the pass from the chain, and record what somebody else changed',
  description:
    'Sends no transaction, and makes no pass. Answers the pass as it is while a transaction of this service is under way for the wallet, and while the loss of its token is not final. Where the chain cannot be read, a `REJECTED` pass is answered as it is, and every other with 503.',
  params: WalletPath,
  replies: { 200: { description: 'The pass as it is then.', body: 'PassRecord', headers: ['Gatepass-Bookmark'] } },
  refuses: ['unknown_network', 'invalid_wallet', 'network_not_enabled', 'pass_not_found'],
  async handle({ params, partner, config, ...backend }) {
    const target = passTargetOf(params, partner, config);
    if (isRefusal(target)) return target;
    const { key, network } = target;
    const known = await backend.passObject(key).readOnChain();
    if (known === undefined) return refuse('pass_not_found');
    if (signersOn(config, network).length === 0) return refuse('network_not_enabled');

    const question = { pass: known.id, key, known: known.onChain };
    const [reading] = await backend.signerObject(known.signer).readPasses([question]);
    if (reading?.type === 'read') return syncReply(await adopt(key, reading.onChain, backend));
    const asIs = await readAsIs(key, backend);
    // While an own step is in flight for the wallet, that step reads the chain by itself. The loss of a token counts once it
    // is final.
    if (reading?.type === 'busy' || reading?.type === 'not-final') return syncReply(asIs);
    logFault('sync', reading?.why, { network: network.network });
    // Of a rejected pass nothing is on the chain, and the contract may refuse to read its wallet for good.
    return asIs?.state === 'REJECTED' ? syncReply(asIs) : refuseUnavailable();
  },
});

function syncReply(synced: PassView | undefined): Reply | Refusal {
  return synced === undefined ? refuse('pass_not_found') : reply(200, synced.record, synced.id, synced.bookmark);
}

async function adopt(key: PassKey, onChain: OnChain, backend: Backend): Promise<PassView | undefined> {
  const adopted = await backend.passObject(key).adoptReading(onChain);
  return adopted && { ...adopted.publication, bookmark: await publishPass(adopted, backend) };
}

/** The read model may lag behind the object. */
async function readAsIs(
  key: PassKey,
  { passObject }: Backend,
): Promise<(Publication & { bookmark: string }) | undefined> {
  const publication = await passObject(key).readPublication();
  return publication && { ...publication, bookmark: READ_PRIMARY };
}
