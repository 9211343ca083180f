import { CLIENTS } from '../world/identities.ts';
import type { World } from '../world/world.ts';
import type { Judged } from './passes.ts';

/** A search finds the passes that their partner can fetch, as a fetch shows them, the newest first ("Search passes" of the API). */

interface Page {
  readonly records: readonly { readonly id: string; readonly state: string }[];
  readonly count?: number;
}

/** A search answers 503 for some seconds after the database was away. */
const RETRY_SECONDS = 5;
const RETRIES = 3;

/** Searches the passes of one gatekeeper network, because a search takes time: all of them, or those of one state. */
export async function faultsOfSearches(world: World, judged: readonly Judged[]): Promise<string[]> {
  const [own = []] = [...Map.groupBy(judged, ({ gatekeeperNetwork }) => gatekeeperNetwork).values()].toSorted(
    (a, b) => b.length - a.length,
  );
  const client = CLIENTS.find(({ gatekeeperNetwork }) => gatekeeperNetwork === own[0]?.gatekeeperNetwork)?.id;
  if (client === undefined) return [];
  const state = own.length % 2 === 0 ? own[0]?.pass.state : undefined;
  const body = { count: true, ...(state !== undefined && { filter: { state } }) };
  const { records = [], count } = await search(world, client, body);
  const fetched = own.map(({ pass }) => pass).filter((pass) => state === undefined || pass.state === state);
  const inOrder = fetched.toSorted((a, b) => (a.id < b.id ? 1 : -1));
  const isSame = JSON.stringify(records) === JSON.stringify(inOrder) && count === fetched.length;
  return isSame ? [] : [`a search for ${state ?? 'all'} finds ${count} passes, and a fetch others (${fetched.length})`];
}

async function search(world: World, client: string, body: object): Promise<Page> {
  for (let left = RETRIES; ; left -= 1) {
    const { status, answer } = await world.requests.answerTo(client, 'POST', '/pass', body);
    if (status !== 503 || left === 0) return (answer ?? {}) as Page;
    await world.pass(RETRY_SECONDS);
  }
}
