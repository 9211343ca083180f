import { type EnabledNetwork, enabledNetwork, signerName } from '../../../config/enabled.ts';
import { within } from '../../../lib/within.ts';
import { logFault } from '../../../log/log.ts';
import type { SignerStatus } from '../../../signer-object/status.ts';
import { NoQuery } from '../../admin-schemas.ts';
import { adminRoute, reply } from '../../route.ts';

/** How long one signer is waited for: the others must be seen though it hangs. */
const PATIENCE_MS = 5_000;

export const showSigners = adminRoute({
  method: 'GET',
  path: '/admin/signers',
  scope: 'admin',
  summary: 'How the signer of each enabled network stands',
  query: NoQuery,
  async handle({ config, env }) {
    const enabled = config.networks.flatMap((network) => enabledNetwork(config, network) ?? []);
    const signers = await Promise.all(enabled.map((each) => statusOf(each, env)));
    return reply(200, JSON.stringify({ signers }));
  },
});

async function statusOf(enabled: EnabledNetwork, env: Env) {
  const { network, chain, gatekeeper } = enabled;
  const status = within(PATIENCE_MS, askStatus(signerName(enabled), env), undefined);
  return { network: network.network, chain, address: gatekeeper.address, ...((await status) ?? UNKNOWN) };
}

const UNKNOWN = { balance: null, why: 'the signer does not answer' };

async function askStatus(name: string, env: Env): Promise<SignerStatus | undefined> {
  try {
    return await env.SIGNERS.getByName(name).status();
  } catch (fault) {
    logFault('signer-unreachable', fault, { signer: name });
    return undefined;
  }
}
