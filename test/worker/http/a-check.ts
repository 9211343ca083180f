import { env } from 'cloudflare:workers';
import type { OnChainState, PassState } from '../../../src/pass/vocabulary.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { aProjection } from '../store/rows.ts';
import type { Answer } from './answer.ts';
import { Api, enablePublicVerify, register, type Send, workerWith } from './api.ts';
import { newClientId, newGatekeeperNetwork } from './issuer.ts';

/** Public checks of passes that were published without their objects. */

const { DB } = env as Env;
export const NOW = Math.floor(Date.now() / 1000);
export const anybody = new Api();
/** A deployment with a domain of its own, where the platform has a cache. */
export const OWN_DOMAIN = { PUBLIC_ORIGIN: 'https://api.example.com' };

export async function aNetwork({ isPublic = true, shard = 'DB' } = {}): Promise<string> {
  const gatekeeperNetwork = newGatekeeperNetwork();
  await register({ clientId: newClientId(), gatekeeperNetwork, shard });
  if (isPublic) await enablePublicVerify(gatekeeperNetwork);
  return gatekeeperNetwork;
}

/** A gatekeeper network with public checks. */
export const ours = await aNetwork();
/** Knows the gatekeeper networks that are public now. */
export const fresh = () => workerWith({});
let passes = 0;

export interface Facts {
  readonly onChain: OnChainState;
  readonly state: PassState;
  /** The earlier expiry, in seconds from now; null: never. */
  readonly until: number | null;
  /** Wanted expiry, in seconds from now. */
  readonly wanted?: number;
  /** Others have taken access away, and it is not final yet. */
  readonly isPending?: boolean;
  /** Address of the gatekeeper that issued the token; unknown by default. */
  readonly issuedBy?: string;
  readonly network?: string;
}

/** Publishes a pass, and returns the path of its check. */
export async function aCheck(facts: Facts, gatekeeperNetwork = ours, db = DB): Promise<string> {
  const { onChain, state, until, wanted, isPending = false, issuedBy = null, network = 'sepolia' } = facts;
  passes += 1;
  const row = aProjection(passes, { gatekeeperNetwork, state, version: 2, network });
  const record = {
    ...JSON.parse(row.record),
    onChainState: onChain,
    ...(wanted !== undefined && { expiryTimestamp: NOW + wanted }),
  };
  const end = typeof until === 'number' ? NOW + until : null;
  const validity = { onChainState: onChain, until: end, isPending, issuedBy };
  await publishPasses(db, [{ ...row, record: JSON.stringify(record), validity }]);
  return pathOf(gatekeeperNetwork, row.key.wallet, `ethereum/${network}`);
}

export const pathOf = (gatekeeperNetwork: string, wallet: string, network = 'ethereum/sepolia') =>
  `/verify/${gatekeeperNetwork}/${network}/${wallet}`;
export const ask = (path: string, send: Send = fresh(), headers: HeadersInit = {}) =>
  anybody.through(send).call('GET', path, { headers });
export interface Body {
  readonly valid: boolean;
  readonly state: string;
  readonly asOf: number;
  readonly coveredUntil: number | null;
}
export const bodyOf = ({ text }: Answer) => JSON.parse(text) as Body;
