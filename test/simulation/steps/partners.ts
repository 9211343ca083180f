import fc from 'fast-check';
import { clientAt } from '../world/identities.ts';
import { WALLETS } from '../world/networks.ts';
import { hookUrl } from '../world/receivers.ts';
import type { World } from '../world/world.ts';
import { client, type Kinds, kind, nameOf, network, passPath, pathOf, wallet } from './kind.ts';

/** The requests of partners and of dApps. */

const secondsOf = ({ now }: World) => Math.floor(now / 1_000);

export const PASS_STEPS: Kinds = {
  issue: kind(
    { weight: 10, prompt: 6, isBasic: true },
    [client, network, wallet, fc.constantFrom(0, 0, 0, 60, 86_400)],
    (who, on, index, lifetime) =>
      `${nameOf(who)} issues a pass of wallet ${index} on ${on}${lifetime === 0 ? '' : ` for ${lifetime} s`}`,
    (world, who, on, index, lifetime) =>
      world.requests.ask(nameOf(who), 'POST', pathOf(on), {
        walletAddress: WALLETS[on][index],
        ...(lifetime > 0 && { expiryTimestamp: secondsOf(world) + lifetime }),
      }),
  ),
  update: kind(
    { weight: 6, prompt: 5 },
    [client, network, wallet, fc.constantFrom('FROZEN', 'ACTIVE')],
    (who, on, index, state) => `${nameOf(who)} sets the pass of wallet ${index} on ${on} to ${state}`,
    (world, who, on, index, state) =>
      world.requests.ask(nameOf(who), 'PATCH', passPath(world, who, on, index), { state }),
  ),
  expiry: kind(
    { weight: 3, prompt: 3 },
    [client, network, wallet, fc.constantFrom(30, 3_600, 86_400)],
    (who, on, index, seconds) => `${nameOf(who)} lets the pass of wallet ${index} on ${on} expire in ${seconds} s`,
    (world, who, on, index, seconds) =>
      world.requests.ask(nameOf(who), 'PATCH', passPath(world, who, on, index), {
        expiryTimestamp: secondsOf(world) + seconds,
      }),
  ),
  revoke: kind(
    { weight: 4, prompt: 4 },
    [client, network, wallet],
    (who, on, index) => `${nameOf(who)} revokes the pass of wallet ${index} on ${on}`,
    (world, who, on, index) => world.requests.ask(nameOf(who), 'DELETE', passPath(world, who, on, index)),
  ),
  fetch: kind(
    { weight: 6 },
    [client, network, wallet],
    (who, on, index) => `${nameOf(who)} fetches the pass of wallet ${index} on ${on}`,
    (world, who, on, index) => world.requests.ask(nameOf(who), 'GET', passPath(world, who, on, index)),
  ),
  sync: kind(
    { weight: 2, prompt: 1 },
    [client, network, wallet],
    (who, on, index) => `${nameOf(who)} syncs the pass of wallet ${index} on ${on}`,
    (world, who, on, index) => world.requests.ask(nameOf(who), 'POST', `${passPath(world, who, on, index)}/sync`),
  ),
  verify: kind(
    { weight: 4 },
    [client, network, wallet],
    (who, on, index) => `a dApp checks wallet ${index} of ${nameOf(who)} on ${on}`,
    (world, who, on, index) =>
      world.requests.verify({
        gatekeeperNetwork: clientAt(who).gatekeeperNetwork,
        network: on,
        wallet: WALLETS[on][index] as string,
      }),
  ),
};

export const WEBHOOK_STEPS: Kinds = {
  webhook: kind(
    { weight: 4 },
    [client, fc.nat(1), fc.constantFrom('works', 'fails')],
    (who, index, deed) =>
      `${nameOf(who)} registers the webhook ${index}${deed === 'fails' ? ', and its receiver fails' : ''}`,
    (world, who, index, deed) => {
      // Events that wait are in danger of another order.
      if (deed === 'fails') world.receivers.fail(index);
      world.requests.ask(nameOf(who), 'POST', '/webhooks', { url: hookUrl(index, world.requests.asked.length) });
    },
  ),
  receiver: kind(
    { weight: 3 },
    [fc.nat(1), fc.constantFrom('fails', 'fails', 'works', 'takes 2 s for each event', 'takes 10 s for each event')],
    (index, deed) => `the receiver of webhook ${index} ${deed}`,
    (world, index, deed) => {
      const [, seconds] = /(\d+) s/.exec(deed) ?? [];
      if (deed === 'fails') world.receivers.fail(index);
      else if (seconds === undefined) world.receivers.heal(index);
      else world.receivers.slow(index, Number(seconds) * 1_000);
    },
  ),
};
