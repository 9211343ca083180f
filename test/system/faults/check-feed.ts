import { type FeedEvent, readWholeFeed } from '../../../tools/localnet/partner/feed.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { replayWebhook } from '../../../tools/localnet/partner/webhooks.ts';
import { pollUntil } from '../poll-until.ts';
import { feedDifferencesIn } from './compare-feed.ts';
import type { Difference } from './compare-passes.ts';
import type { FaultEnvironment } from './fault-environment.ts';
import { digestOf, type FaultyReceiver } from './faulty-receiver.ts';
import { mapInParallel } from './map-in-parallel.ts';
import { PARTNERS, type TestedPass } from './tested-pass.ts';

export interface FeedOutcome {
  readonly events: number;
  /** Arrivals at all receivers, repeated ones included. */
  readonly arrivals: number;
  /** Webhooks that had to deliver again, because they had given up an event. */
  readonly replays: number;
  readonly differences: readonly Difference[];
}

type Environment = Pick<FaultEnvironment, 'facts' | 'modelClient' | 'receivers'>;

/** The time within which a receiver that no longer fails gets the events that it never refused. */
const DELIVERED_WITHIN_MS = 60_000;
/**
 * The time within which it gets all events. An event that failed again and again while others arrived waits for ten minutes at
 * most, and a webhook looks for due events once a minute.
 */
const ALL_DELIVERED_WITHIN_MS = 11 * 60_000;

/**
 * Ends the failures of the receivers, waits until each has every event, and compares feed, records and deliveries. The retries
 * of a failed delivery are hours apart. So each partner requests another pass: the success of its delivery makes all others due.
 * An event that a webhook has given up after ten attempts is replayed.
 */
export async function checkFeed(environment: Environment, passes: readonly TestedPass[]): Promise<FeedOutcome> {
  const { facts, modelClient } = environment;
  const receivers = Object.values(environment.receivers);
  const outcomes: FeedOutcome[] = [];
  for (const receiver of receivers) receiver.setFailures(0);
  for (const partner of PARTNERS) {
    const client = new LocalnetPartner(facts, partner);
    const wallet = freshWallet('sepolia');
    await client.issue('sepolia', wallet);
    await client.untilSettled('sepolia', wallet);

    const own = passes.filter((pass) => pass.partner === partner);
    const records = await mapInParallel(own, (pass) => modelClient.recordOf(pass));
    const feed = await readWholeFeed(client);
    const replays = await awaitDeliveries(feed, receivers, partner, client);
    const arrivals = Object.fromEntries(receivers.map(({ name, arrivals }) => [name, [...arrivals[partner]]]));
    const known = records.filter((record): record is PassRecord => record !== undefined);
    outcomes.push({
      events: feed.length,
      arrivals: Object.values(arrivals).flat().length,
      replays,
      differences: feedDifferencesIn({ feed, records: known, arrivals, digestOf }),
    });
  }
  const sum = (count: (outcome: FeedOutcome) => number) => outcomes.reduce((total, each) => total + count(each), 0);
  return {
    events: sum(({ events }) => events),
    arrivals: sum(({ arrivals }) => arrivals),
    replays: sum(({ replays }) => replays),
    differences: [...outcomes.flatMap(({ differences }) => differences), ...receivers.flatMap(signatureDifferencesOf)],
  };
}

/** Waits until each receiver has every event, and replays what does not arrive. Resolves to the number of replays. */
async function awaitDeliveries(
  feed: readonly FeedEvent[],
  receivers: readonly FaultyReceiver[],
  partner: TestedPass['partner'],
  client: LocalnetPartner,
): Promise<number> {
  let replays = 0;
  const deadline = Date.now() + ALL_DELIVERED_WITHIN_MS;
  for (const { arrivals, webhooks } of receivers) {
    const findMissing = async () => firstMissing(feed, arrivals[partner]);
    for (;;) {
      const missing = await pollUntil(findMissing, (event) => event === undefined, DELIVERED_WITHIN_MS).catch(
        findMissing,
      );
      if (missing === undefined || Date.now() > deadline) break;
      replays += 1;
      await replayWebhook(client, webhooks[partner].id, missing.sequence - 1);
    }
  }
  return replays;
}

function firstMissing(feed: readonly FeedEvent[], arrivals: FaultyReceiver['arrivals']['acme']): FeedEvent | undefined {
  const kept = new Set(arrivals.filter(({ isKept }) => isKept).map(({ id }) => id));
  return feed.find(({ id }) => !kept.has(id));
}

function signatureDifferencesOf({ name, invalidCount }: FaultyReceiver): Difference[] {
  if (invalidCount() === 0) return [];
  return [{ type: 'different', description: `the ${name} receiver got ${invalidCount()} invalid signatures` }];
}
