import { env } from 'cloudflare:workers';
import { expect, vi } from 'vitest';
import { passName } from '../../../src/pass/pass.ts';
import { Api, QUEUE_THAT_FAILS, type Registration, register, workerWith } from './api.ts';
import { aToken, newClientId, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { aWallet } from './wallets.ts';

/** Partners that may issue only so many passes in a day, and the clock by which days are counted. */

const { QUOTAS } = env as Env;
export const SEPOLIA = 'ethereum/sepolia';

/** A noon to come, so that no alarm of these passes rings; the clock stands still. */
export const NOON = Date.UTC(2030, 0, 15, 12);
/** Stops the clock at that time (ms). */
export const itIs = (time: number) => void vi.useFakeTimers({ toFake: ['Date'], now: time });

/** The passes stay as they were asked for: nobody looks after them. */
const send = workerWith({ ...TRUSTING, LOOKS: QUEUE_THAT_FAILS });

/** A new partner, with what a test wants to know of it. */
export async function aLimitedPartner(row: Partial<Registration>) {
  const registration = { clientId: newClientId(), gatekeeperNetwork: newGatekeeperNetwork(), ...row };
  const { clientId, gatekeeperNetwork } = registration;
  await register(registration);
  const api = new Api(await aToken({ client_id: clientId }), send);
  const nameOf = (wallet: string) => passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet });
  return {
    api,
    gatekeeperNetwork,
    quota: QUOTAS.getByName(clientId),
    nameOf,
    /** The operator sets another quota, which is followed a minute later. */
    async has(dailyIssuances?: number) {
      await register({ ...registration, dailyIssuances });
      itIs(Date.now() + 60_000);
    },
    /** The same client later, when its token has expired. */
    at: async (time: number) => {
      itIs(time);
      return new Api(await aToken({ client_id: clientId }), send);
    },
  };
}

/** How many passes more are issued before the quota is used up; it is used up then. */
export async function left(api: Api): Promise<number> {
  for (let issued = 0; issued < 20; issued++) {
    const answer = await api.issue(SEPOLIA, aWallet());
    if (answer.status !== 202) {
      expect(answer.problem.code).toBe('quota_reached');
      return issued;
    }
  }
  throw new Error('there seems to be no quota');
}
