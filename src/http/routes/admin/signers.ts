import { type EnabledNetwork, signerNameOf, signersOn } from '../../../config/signers.ts';
import type { Backend } from '../../../operations/backend.ts';
import { callObject } from '../../../operations/call-object.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { NoQuery } from '../../schemas/admin-requests.ts';

export const showSigners = adminRoute({
  operationId: 'listSigners',
  method: 'GET',
  path: '/admin/signers',
  scope: 'admin',
  query: NoQuery,
  async handle({ config, signerObject }) {
    const enabled = config.networks.flatMap((network) => signersOn(config, network));
    const signers = await Promise.all(enabled.map((each) => statusOf(each, signerObject)));
    return reply(200, JSON.stringify({ signers }));
  },
});

async function statusOf(enabled: EnabledNetwork, signerObject: Backend['signerObject']) {
  const { network, chain, gatekeeper } = enabled;
  const { address, retired, compromised = false } = gatekeeper;
  const name = signerNameOf(enabled);
  const status = await callObject(async () => signerObject(name).status(), 'signer', name);
  return { network: network.network, chain, address, retired, compromised, ...(status ?? UNKNOWN) };
}

const UNKNOWN = { balance: null, why: 'the signer does not answer' };
