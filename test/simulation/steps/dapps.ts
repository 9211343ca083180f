import fc from 'fast-check';
import { clientAt } from '../world/identities.ts';
import { WALLETS } from '../world/networks.ts';
import { client, type Kinds, kind, nameOf, network, wallet } from './kind.ts';

/** dApps that check a wallet often, so that some checks meet each moment of a change. */

const CHECKS = 6;

export const DAPP_STEPS: Kinds = {
  'verify often': kind(
    { weight: 3, late: 3 },
    [client, network, wallet, fc.constantFrom(1, 3, 7)],
    (who, on, index, seconds) =>
      `a dApp checks wallet ${index} of ${nameOf(who)} on ${on} every ${seconds} s from now on, ${CHECKS} times`,
    ({ platform, requests }, who, on, index, seconds) => {
      const { gatekeeperNetwork } = clientAt(who);
      const key = { gatekeeperNetwork, network: on, wallet: WALLETS[on][index] as string };
      for (let n = 0; n < CHECKS; n += 1)
        platform.scheduler.after(n * seconds * 1_000, `check ${index}`, () => requests.verify(key));
    },
  ),
};
