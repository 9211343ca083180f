import { networkOf } from '../world/identities.ts';
import { type Asked, isChange } from '../world/requests.ts';
import type { World } from '../world/world.ts';
import { recordsIn, type ShownPass } from './passes-asked.ts';

/** A request that waits for the chain is answered in time, and with the settled pass as soon as there is one (docs/partners/api.md). */

const SECOND_MS = 1_000;
/** A partner gives its HTTP client that much more than it waits. */
const GRACE_MS = 10 * SECOND_MS;
/** The time from the end of a change until its answer: the object may have to publish the pass, and each message takes a second at most. */
const SETTLED_GRACE_MS = 9 * SECOND_MS;
/** The time of a request until its object waits. */
const BEGINNING_MS = SECOND_MS;

const DONE = ['ACTIVE ACTIVE', 'FROZEN FROZEN', 'REVOKED REVOKED', 'REVOKED NONE', 'REJECTED NONE'];

/** Whether the record shows both signs of a settled pass (docs/partners/pass-life.md). */
export function isSettled({
  state,
  onChainState,
  events,
}: Pick<ShownPass, 'state' | 'onChainState' | 'events'>): boolean {
  const open = new Set<string>();
  for (const { eventType } of events) {
    const [, change = '', part] = /^(TOKEN_[A-Z]+?(?:_CHANGED)?)(_INITIATED|_REORGED|_FAILED)?$/.exec(eventType) ?? [];
    if (part === '_INITIATED' || part === '_REORGED') open.add(change);
    else open.delete(change);
  }
  return DONE.includes(`${state} ${onChainState}`) && open.size === 0;
}

function faultOf(
  { at, answeredAt, status, isLost, hasWaited, options: { waits = 0 }, ...asked }: Asked & { status?: number },
  now: number,
): string | undefined {
  const end = answeredAt ?? (isLost ? at : now);
  if (end - at > waits * SECOND_MS + GRACE_MS) return `an answer came after ${end - at} ms`;
  if (!hasWaited || answeredAt === undefined || status === undefined || status >= 300) return undefined;
  const [record] = recordsIn({ ...asked, status });
  if (record === undefined) return undefined;
  if (!isSettled(record))
    return end - at < waits * SECOND_MS - BEGINNING_MS ? 'an answer came early, without the settled pass' : undefined;
  const settledAt = Math.max(at, (record.events.at(-1)?.timestamp ?? 0) * SECOND_MS);
  return end - settledAt > SETTLED_GRACE_MS
    ? `an answer came ${end - settledAt} ms after the pass was settled`
    : undefined;
}

/** A request of a partner that does not wait is answered by then, also while the database is silent (docs/partners/limits.md). */
const ANSWERED_MAX_MS = 8 * SECOND_MS;

export function faultsOfWaiting(world: World): string[] {
  return world.requests.asked.flatMap((asked) => {
    if (asked.options.waits === undefined) return faultsOfAnswer(asked);
    const fault = faultOf(asked, world.now);
    return fault === undefined ? [] : [`${asked.client} waits ${asked.options.waits} s with ${asked.method}: ${fault}`];
  });
}

function faultsOfAnswer({ client, method, path, at, answeredAt = at }: Asked): string[] {
  if (networkOf(client) === undefined || answeredAt - at <= ANSWERED_MAX_MS) return [];
  return [`${client} gets an answer from ${method} ${path} after ${answeredAt - at} ms`];
}

/** Each item of a request about many passes has one result: a record or a problem. Equal items have the same one. */
export function faultsOfMany({ requests }: World): string[] {
  return requests.asked.flatMap((asked) => {
    if (asked.path !== '/passes' || asked.status !== 200 || !isChange(asked)) return [];
    const { items } = asked.body as { readonly items: readonly { readonly walletAddress: string }[] };
    const { results } = asked.answer as {
      readonly results: readonly { readonly record?: ShownPass; readonly problem?: object }[];
    };
    if (results.length !== items.length) return [`${items.length} items get ${results.length} results`];
    return items.flatMap(({ walletAddress }, index) => {
      const { record, problem } = results[index] ?? {};
      if ((record === undefined) === (problem === undefined)) return ['an item gets no result, or two'];
      if (record && record.walletAddress.toLowerCase() !== walletAddress.toLowerCase())
        return ['an item gets the record of another one'];
      const first = items.findIndex((each) => each.walletAddress === walletAddress);
      return JSON.stringify(results[first]) === JSON.stringify(results[index])
        ? []
        : ['equal items get different results'];
    });
  });
}

/** A repeated request may name an expiry that is over by then. */
const isLate = ({ errors = [] }: { readonly errors?: readonly { readonly pointer: string }[] }) =>
  errors.length > 0 && errors.every(({ pointer }) => pointer.endsWith('/expiryTimestamp'));

/** The requests of a world have the form that the service wants: others would show nothing. */
export function faultsOfForms({ requests }: World): string[] {
  const refused = requests.asked.find(
    ({ status, answer }) => status === 400 && Object(answer).code === 'invalid_request' && !isLate(answer as never),
  );
  return refused ? [`${refused.method} ${refused.path} has a wrong form: ${JSON.stringify(refused.answer)}`] : [];
}
