import fc from 'fast-check';
import type { Asked } from '../world/requests.ts';
import type { World } from '../world/world.ts';
import { client, type Kinds, kind, nameOf, network, passPath, wallet } from './kind.ts';

/** The pages that partners read: of the feed, of searches, of the trail, and the usage. */

/** How likely a replica is behind. */
const REPLICAS_BEHIND = 0.8;

/** Returns the newest answer of a client that has a bookmark. */
const bookmarkedFor = ({ requests }: World, name: string): Asked | undefined =>
  requests.asked.findLast(({ client, bookmark, status = 500 }) => client === name && bookmark && status < 300);

export const READING_STEPS: Kinds = {
  feed: kind(
    { weight: 3 },
    [client, fc.constantFrom(1, 2, 100)],
    (who, limit) => `${nameOf(who)} reads the next ${limit} events of its feed`,
    async (world, who, limit) => {
      const name = nameOf(who);
      const path = `/events?after=${world.feedReaders.cursorOf(name)}&limit=${limit}`;
      const { status, answer } = await world.requests.answerTo(name, 'GET', path);
      if (status === 200) world.feedReaders.take(name, answer as never);
    },
  ),
  search: kind(
    { weight: 3 },
    [client, fc.nat(1)],
    (who, hasBookmark) => `${nameOf(who)} searches its passes${hasBookmark ? ' with its newest bookmark' : ''}`,
    (world, who, hasBookmark) =>
      world.requests.ask(
        nameOf(who),
        'POST',
        '/pass',
        {},
        hasBookmark ? { after: bookmarkedFor(world, nameOf(who)) } : {},
      ),
  ),
  'read own change': kind(
    { weight: 4 },
    [client, network, wallet, fc.constantFrom('FROZEN', 'FROZEN', 'ACTIVE'), fc.nat(1)],
    (who, on, index, state, isBehind) =>
      `${isBehind ? 'the replicas of D1 are behind from now on, and ' : ''}${nameOf(who)} sets the pass of wallet ${index} on ${on} to ${state}, and fetches it with the bookmark of the answer`,
    async (world, who, on, index, state, isBehind) => {
      if (isBehind) world.weather.probabilities = { ...world.weather.probabilities, lag: REPLICAS_BEHIND };
      const path = passPath(world, who, on, index);
      const after = await world.requests.answerTo(nameOf(who), 'PATCH', path, { state });
      world.requests.ask(nameOf(who), 'GET', path, undefined, { after });
    },
  ),
  trail: kind(
    { weight: 1 },
    [client, fc.constantFrom(1, 100)],
    (who, limit) => `${nameOf(who)} reads the newest ${limit} entries of its audit trail`,
    (world, who, limit) => world.requests.ask(nameOf(who), 'GET', `/audit?order=newest&limit=${limit}`),
  ),
  usage: kind(
    { weight: 1 },
    [client],
    (who) => `${nameOf(who)} reads its usage`,
    (world, who) => world.requests.ask(nameOf(who), 'GET', '/usage'),
  ),
};
