import fc from 'fast-check';
import { personOf } from '../world/identities.ts';
import { WALLETS } from '../world/networks.ts';
import { client, type Kinds, kind, nameOf, network, passPath, pathOf, wallet } from './kind.ts';

/** The requests of persons who work for a partner, and have signed in at the console. */

const DEEDS = ['issues', 'issues', 'freezes', 'unfreezes', 'revokes', 'fetches'] as const;
type Deed = (typeof DEEDS)[number];

/** Returns the method and the body of such a request for an existing pass. */
const REQUESTS: Readonly<Record<Exclude<Deed, 'issues'>, readonly [method: string, body?: object]>> = {
  freezes: ['PATCH', { state: 'FROZEN' }],
  unfreezes: ['PATCH', { state: 'ACTIVE' }],
  revokes: ['DELETE'],
  fetches: ['GET'],
};

export const STAFF_STEPS: Kinds = {
  staff: kind(
    { weight: 6 },
    [client, network, wallet, fc.nat(1), fc.constantFrom<Deed>(...DEEDS)],
    (who, on, index, person, deed) =>
      `${personOf(nameOf(who), person)} ${deed} the pass of wallet ${index} on ${on} in the console`,
    (world, who, on, index, person, deed) => {
      const ask = (method: string, path: string, body?: object) =>
        world.requests.ask(nameOf(who), method, path, body, { person: personOf(nameOf(who), person) });
      if (deed === 'issues') return ask('POST', pathOf(on), { walletAddress: WALLETS[on][index] });
      const [method, body] = REQUESTS[deed];
      return ask(method, passPath(world, who, on, index), body);
    },
  ),
};
