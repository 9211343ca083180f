import { raiseSequences, sequencesIn } from '../../ops/restore/raise-sequences.ts';
import { READ_USAGE, restoreUsage, type UsageRow, usageIn } from '../../ops/restore/restore-usage.ts';
import { FeedStory, type StoryDatabase, usageOfEvent } from './feed-story.ts';

/** A story with a restore: the database returns to an earlier moment, and the pass objects do not. */

interface FedEvent {
  readonly gatekeeper_network: string;
  readonly sequence: number;
  readonly type: string;
  readonly body: string;
}

const eventsIn = async (db: StoryDatabase): Promise<FedEvent[]> =>
  (await db.prepare('SELECT gatekeeper_network, sequence, type, body FROM events ORDER BY 1, 2').all()).results;
const idOf = ({ body }: FedEvent): string => JSON.parse(body).id;

/** Returns the event as a row of the usage; none for `feed.restored` and for events that do not count. */
function usageRowOf(event: FedEvent): UsageRow[] {
  const [pass = '', n] = idOf(event).split('.');
  const usage = event.type === 'feed.restored' ? undefined : usageOfEvent(pass, Number(n));
  if (usage === undefined) return [];
  const none = { issued: 0, renewed: 0, revoked: 0 };
  const { gatekeeper_network } = event;
  return [{ gatekeeper_network, network: 'sepolia', month: usage.month, ...none, [usage.change]: usage.amount }];
}

/** Returns the sums per gatekeeper network and month as a text. */
function totalOf(rows: readonly UsageRow[]): string {
  const sums = new Map<string, number[]>();
  for (const { gatekeeper_network, month, issued, renewed, revoked } of rows) {
    const [a = 0, b = 0, c = 0] = sums.get(`${gatekeeper_network} ${month}`) ?? [];
    sums.set(`${gatekeeper_network} ${month}`, [a + issued, b + renewed, c + revoked]);
  }
  const changed = [...sums].filter(([, numbers]) => numbers.some((number) => number !== 0));
  return changed
    .map(([name, numbers]) => `${name}: ${numbers}`)
    .toSorted()
    .join('; ');
}

/** Runs a story with a restore into the second database. Returns a fault; undefined: the feeds are as promised. */
export async function runRestoreStory(
  seed: number,
  primary: StoryDatabase,
  restored: StoryDatabase,
): Promise<string | undefined> {
  const story = new FeedStory(seed, 30);
  await story.begin();
  const live = async (db: StoryDatabase, steps: number, isClosed = false) => {
    for (let step = 0; step < steps; step += 1) {
      for (let changes = story.below(8); changes > 0; changes -= 1) await story.change();
      await story.publish(db, isClosed);
      await story.fireAlarms(db, isClosed);
    }
  };
  await live(primary, 5 + story.below(40));
  const before = sequencesIn((await primary.prepare('SELECT gatekeeper_network, sequence FROM feeds').all()).results);
  const used = await eventsIn(primary);
  // Closed: nothing is published from here to the end of the restore.
  await live(primary, story.below(6), true);
  for (const write of story.log.slice(0, story.below(story.log.length + 1))) await write(restored);
  const usageRead = async (db: StoryDatabase) => usageIn((await db.prepare(READ_USAGE).all()).results);
  for (const sql of restoreUsage(await usageRead(primary), await usageRead(restored)))
    await restored.batch([restored.prepare(sql)]);
  const kept = await eventsIn(restored);
  await restored.batch(raiseSequences(before).map((sql) => restored.prepare(sql)));
  const lost = new Map(story.passes.map((pass) => [pass.id, pass.known()]));
  // Open: publications and the rebuild arrive in any order.
  await live(restored, story.below(20));
  await story.publishAll(restored);

  const after = await eventsIn(restored);
  const ids = after.map((event) => `${event.gatekeeper_network} ${idOf(event)}`);
  if (new Set(ids).size < ids.length) return 'an event is in the restored feed twice';
  const byPlace = new Map(used.map((event) => [`${event.gatekeeper_network} ${event.sequence}`, idOf(event)]));
  const reused = after.find(
    (event) => (byPlace.get(`${event.gatekeeper_network} ${event.sequence}`) ?? idOf(event)) !== idOf(event),
  );
  if (reused !== undefined) return `the sequence ${reused.sequence} of ${reused.gatekeeper_network} was used twice`;
  const inRestored = new Set(kept.map(idOf));
  const counted = [...used, ...after.filter((event) => !inRestored.has(idOf(event)))];
  if (totalOf(await usageRead(restored)) !== totalOf(counted.flatMap(usageRowOf))) return 'the usage differs';
  const missing = Object.keys(before).filter(
    (network) =>
      !after.some(({ gatekeeper_network, type }) => gatekeeper_network === network && type === 'feed.restored'),
  );
  if (missing.length > 0) return `no feed.restored in ${missing.join()}`;
  const byPass = Map.groupBy(after.map(idOf), (id) => id.slice(0, id.lastIndexOf('.')));
  for (const { id, history } of story.passes) {
    const numbers = (byPass.get(id) ?? []).map((event) => Number(event.slice(event.lastIndexOf('.') + 1)));
    if (numbers.some((n, index) => n <= (numbers[index - 1] ?? 0)))
      return `${id}: events in the order ${numbers.join()}`;
    const absent = history.find(({ n }) => n > (lost.get(id) ?? 0) && !numbers.includes(n));
    if (absent !== undefined) return `${id}: event ${absent.n} is missing`;
  }
  return undefined;
}
