import { env } from 'cloudflare:workers';
import { vi } from 'vitest';
import type { Wallet } from '../../../src/network/wallet.ts';
import { passName } from '../../../src/pass/pass.ts';
import { expectProblem } from '../../problem.ts';
import { Api, QUEUE_THAT_FAILS, type Registration, register, workerWith } from './api.ts';
import { aPartner, aToken, TRUSTING } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** Partners with a daily quota, and the clock that counts the days. */

const { QUOTAS } = env as Env;
export const SEPOLIA = 'ethereum/sepolia';

/** A future noon, so that no alarm of these passes fires. The clock stands still. */
export const NOON = Date.UTC(2030, 0, 15, 12);
/** Stops the clock at the given time (ms). */
export const setClock = (time: number) => void vi.useFakeTimers({ toFake: ['Date'], now: time });

/** A Worker whose queue fails, so that no pass progresses. */
const send = workerWith({ ...TRUSTING, PASS_QUEUE: QUEUE_THAT_FAILS });

/** A new partner, its quota object, and ways to change its quota and its token. */
export async function aPartnerWithQuota(overrides: Partial<Registration>) {
  const api = await aPartner({ ...overrides, send });
  const { clientId, gatekeeperNetwork } = api;
  const nameOf = (wallet: Wallet) => passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet });
  return {
    api,
    gatekeeperNetwork,
    quota: QUOTAS.getByName(clientId),
    nameOf,
    /** Sets another quota, like the operator's command, and moves the clock until the service uses it. */
    async changeQuota(dailyIssuances?: number) {
      await register({ clientId, gatekeeperNetwork, ...overrides, dailyIssuances });
      setClock(Date.now() + 60_000);
    },
    /** Moves the clock, and returns an API client with a token of that time. */
    clientAt: async (time: number) => {
      setClock(time);
      return new Api(await aToken({ client_id: clientId }), send);
    },
  };
}

/** Issues passes until the quota is used up, and returns their number. */
export async function useUpQuota(api: Api): Promise<number> {
  for (let issued = 0; issued < 20; issued++) {
    const answer = await api.issue(SEPOLIA, aWallet());
    if (answer.status !== 202) {
      expectProblem(answer, 'quota_reached');
      return issued;
    }
  }
  throw new Error('the partner has no quota: 20 issuances were accepted');
}
