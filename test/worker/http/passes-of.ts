import { env } from 'cloudflare:workers';
import { base58 } from '@scure/base';
import { inject } from 'vitest';
import type { Chain } from '../../../src/network/networks.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { StepStatus } from '../../../src/pass/step.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { aPassOfWhich, holding } from './a-pass-of-which.ts';
import { aWallet } from './wallets.ts';

/** Passes in every state, that nothing is sent for; their signers are those of the configuration. */

const { DB, PASSES } = env as unknown as Env;
const { gatekeeper } = inject('localnet');
export const NETWORK = { ethereum: 'sepolia', solana: 'devnet' } as const;

const STATUSES: Readonly<Record<string, StepStatus>> = {
  REQUESTED: { type: 'waiting' },
  ACTIVE: holding({ state: 'ACTIVE' }),
  FROZEN: holding({ state: 'FROZEN' }),
  REVOKED: holding({ state: 'REVOKED' }),
  REJECTED: { type: 'failed', reason: 'the chain said no' },
};
export const STATES: readonly string[] = Object.keys(STATUSES);

/** Where a pass can be seen: its object alone, or the read model too. */
export type Place = 'object' | 'D1';

/** A pass of that gatekeeper network, for a wallet of its own. */
export async function aPassOf(
  gatekeeperNetwork: string,
  { chain = 'ethereum', state = 'ACTIVE', place = 'D1' }: { chain?: Chain; state?: string; place?: Place } = {},
): Promise<PassKey> {
  const network = NETWORK[chain];
  const status = STATUSES[state] as StepStatus;
  const signer = `${chain}/${network}/${gatekeeper[chain]}`;
  const wallet = await aPassOfWhich({ gatekeeperNetwork, chain, network }, status, signer);
  const key: PassKey = { gatekeeperNetwork, chain, network, wallet };
  const projection = await PASSES.getByName(passName(key)).readPublication();
  if (projection !== undefined && place === 'D1') await publishPasses(DB, [projection]);
  return key;
}

/** The key of a pass that nobody has asked for. */
export function aKeyOf(gatekeeperNetwork: string, chain: Chain = 'ethereum'): PassKey {
  const wallet = chain === 'ethereum' ? aWallet() : base58.encode(crypto.getRandomValues(new Uint8Array(32)));
  return { gatekeeperNetwork, chain, network: NETWORK[chain], wallet };
}
