import { clientAt, networkOf } from '../world/identities.ts';
import { textOf } from '../world/networks.ts';
import { isChange } from '../world/requests.ts';
import type { World } from '../world/world.ts';
import type { Judged } from './passes.ts';
import { passesAsked } from './passes-asked.ts';

/** A reference is as a partner set it last: in the record, in the feed and in searches (docs/partners/api.md). */

/** A request that may have set a reference. */
interface Setting {
  readonly reference: string | undefined;
  readonly from: number;
  /** It had its effect no later than then (Unix milliseconds). */
  readonly until: number;
  /** Whether it had its effect certainly. */
  readonly isCertain: boolean;
}

/** A request without an answer may reach the pass that late. */
const LATE_MS = 60_000;

/** Returns the references that a pass may have at the end. */
function possibleReferences(world: World, judged: Judged): Set<string | undefined> {
  const own = textOf(judged);
  const settings: Setting[] = [{ reference: undefined, from: 0, until: 0, isCertain: true }];
  for (const { asked, name, status = 500, reference } of passesAsked(world.requests.asked.filter(isChange))) {
    if (name !== own || reference === undefined || (status >= 300 && status < 500)) continue;
    const isCertain = status < 300;
    const until = isCertain ? (asked.answeredAt ?? 0) : asked.at + LATE_MS;
    settings.push({ reference: reference ?? undefined, from: asked.at, until, isCertain });
  }
  // No certain one began after it was over.
  const last = settings.filter(({ until }) => !settings.some(({ from, isCertain }) => isCertain && from > until));
  return new Set(last.map(({ reference }) => reference));
}

interface FoundEvent {
  readonly data?: { readonly pass: { readonly id: string; readonly reference?: string } };
}

/** Each event whose pass had a reference shows the newest one, and none after its removal. */
async function faultsInFeed(
  world: World,
  client: string,
  newest: ReadonlyMap<string, string | undefined>,
): Promise<string[]> {
  const { status, answer } = await world.requests.repeatedAnswerTo(client, 'GET', '/events?limit=100');
  if (status !== 200) return [`${client} cannot read its feed: ${status}`];
  return (answer as { readonly events: readonly FoundEvent[] }).events.flatMap(({ data }) => {
    const { id = '', reference } = data?.pass ?? {};
    return reference !== undefined && reference !== newest.get(id)
      ? [`an event shows the reference ${reference}, and its pass has ${newest.get(id)}`]
      : [];
  });
}

async function faultsInSearch(
  world: World,
  client: string,
  newest: ReadonlyMap<string, string | undefined>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const reference of new Set(newest.values())) {
    if (reference === undefined) continue;
    const { answer } = await world.requests.repeatedAnswerTo(client, 'POST', '/pass', { filter: { reference } });
    const found = ((answer as { records?: readonly { id: string }[] } | undefined)?.records ?? [])
      .map(({ id }) => id)
      .sort();
    const wanted = [...newest].flatMap(([id, each]) => (each === reference ? id : [])).sort();
    if (found.join() !== wanted.join())
      faults.push(
        `a search finds ${found.length} passes with the reference ${reference}, and ${wanted.length} have it`,
      );
  }
  return faults;
}

export async function faultsOfReferences(world: World, judged: readonly Judged[]): Promise<string[]> {
  const faults: string[] = [];
  for (const { id, gatekeeperNetwork } of [clientAt(0), clientAt(2)]) {
    const isUsed = world.requests.asked.some(
      (asked) => networkOf(asked.client) === gatekeeperNetwork && 'reference' in Object(asked.body),
    );
    if (!isUsed) continue;
    const own = judged.filter((each) => each.gatekeeperNetwork === gatekeeperNetwork);
    for (const each of own) {
      const possible = possibleReferences(world, each);
      if (!possible.has(each.pass.reference))
        faults.push(
          `the pass of ${each.wallet} has the reference ${each.pass.reference}, and partners set ${[...possible].join(' or ')} last`,
        );
    }
    const newest = new Map(own.map(({ pass }) => [pass.id, pass.reference]));
    faults.push(...(await faultsInFeed(world, id, newest)), ...(await faultsInSearch(world, id, newest)));
  }
  return faults;
}
