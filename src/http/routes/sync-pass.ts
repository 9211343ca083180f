import { signersOn } from '../../config/signers.ts';
import { logFault } from '../../log/log.ts';
import type { Backend } from '../../operations/backend.ts';
import { publishAccepted } from '../../operations/publish-accepted.ts';
import type { PassView } from '../../operations/read-from-object.ts';
import type { OnChain, PassKey } from '../../pass/pass.ts';
import type { PassObject } from '../../pass-object/pass-object.ts';
import type { PassReading } from '../../signer-object/read-passes.ts';
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
  params: WalletPath,
  async handle({ params, partner, config, ...backend }) {
    const target = passTargetOf(params, partner, config);
    if (isRefusal(target)) return target;
    const { key, network } = target;
    const known = await backend.passObject(key).readOnChain();
    if (known === undefined) return refuse('pass_not_found');
    if (signersOn(config, network).length === 0) return rejectedPassOr(refuse('network_not_enabled'), key, backend);

    const reading = await readOnChain(known, key, backend);
    if (reading?.type === 'read') return syncReply(await adopt(key, reading.onChain, backend));
    // While a step of this service is in flight for the wallet, that step reads the chain itself. The loss of a token counts
    // only once it is final.
    if (reading?.type === 'busy' || reading?.type === 'not-final') return syncReply(await readAsIs(key, backend));
    logFault('pass.sync_failed', reading?.why, { network: network.network });
    return rejectedPassOr(refuseUnavailable(), key, backend);
  },
});

type KnownPass = NonNullable<Awaited<ReturnType<PassObject['readOnChain']>>>;

async function readOnChain(
  { id, signer, onChain }: KnownPass,
  key: PassKey,
  { signerObject }: Backend,
): Promise<PassReading | undefined> {
  try {
    const [reading] = await signerObject(signer).readPasses([{ pass: id, key, known: onChain }]);
    return reading;
  } catch (fault) {
    logFault('signer.unreachable', fault, { signer });
    return undefined;
  }
}

/**
 * Returns the record if the pass is rejected: the chain holds nothing of it, and the contract may never let anybody read its
 * wallet. Returns the refusal otherwise.
 */
async function rejectedPassOr(refusal: Refusal, key: PassKey, backend: Backend): Promise<Reply | Refusal> {
  const asIs = await readAsIs(key, backend);
  return asIs?.state === 'REJECTED' ? syncReply(asIs) : refusal;
}

function syncReply(synced: PassView | undefined): Reply | Refusal {
  return synced === undefined ? refuse('pass_not_found') : reply(200, synced.record, synced.id, synced.bookmark);
}

async function adopt(key: PassKey, onChain: OnChain, backend: Backend): Promise<PassView | undefined> {
  const adopted = await backend.passObject(key).adoptReading(onChain);
  return adopted && { ...adopted.publication, bookmark: await publishAccepted([adopted], backend) };
}

/** Reads the pass from its object, because the read model may be older. */
async function readAsIs(
  key: PassKey,
  { passObject }: Backend,
): Promise<(Publication & { bookmark: string }) | undefined> {
  const publication = await passObject(key).readPublication();
  return publication && { ...publication, bookmark: READ_PRIMARY };
}
