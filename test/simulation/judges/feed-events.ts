import type { SqlRow } from '../platform/sql-database.ts';
import { readRows } from '../world/database.ts';
import type { World } from '../world/world.ts';
import type { RecordEvent } from './learned-changes.ts';
import type { ShownPass } from './passes-asked.ts';

/**
 * The feed, the webhooks and the usage say what the records say ("An event" and "Catalog" of the feed, "Usage" of the API).
 */

interface FedEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly event: RecordEvent; readonly pass: ShownPass };
}

interface PublishedPass extends ShownPass {
  readonly gatekeeperNetwork: string;
}

/** The types of the catalog, by the name of a change. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  TOKEN_ISSUED: ['pass.issued'],
  TOKEN_FROZEN: ['pass.frozen'],
  TOKEN_UNFROZEN: ['pass.unfrozen'],
  TOKEN_REVOKED: ['pass.revoked'],
  TOKEN_EXPIRY_CHANGED: ['pass.expiry_changed', 'pass.renewed'],
  TOKEN_EXPIRING: ['pass.expiring'],
  TOKEN_EXPIRED: ['pass.expired'],
  TOKEN_ISSUED_FAILED: ['pass.change_failed', 'pass.rejected'],
  REFERENCE_CHANGED: ['pass.reference_changed'],
};

/** Returns the types that the feed may give to an entry of a record; none: the feed lacks the entry. */
function typesOf(eventType: string): readonly string[] {
  if (eventType.endsWith('_INITIATED')) return [];
  return TYPES[eventType] ?? [eventType.endsWith('_FAILED') ? 'pass.change_failed' : 'pass.reorged'];
}

/** Returns what is wrong between the records and the feeds, the webhooks and the usage. */
export function faultsOfFeedEvents(world: World): string[] {
  const records = readRows(world.platform, 'SELECT record FROM passes').map(recordIn);
  const fed = readRows(world.platform, 'SELECT sequence, type, body FROM events ORDER BY gatekeeper_network, sequence');
  const ofPasses = fed.filter(({ type }) => type !== 'feed.restored');
  const byPass = Map.groupBy(ofPasses.map(eventIn), ({ id }) => id.slice(0, id.lastIndexOf('.')));
  const isRestored = world.incidents.restores.length > 0;
  return [
    // A restore loses events that no reader has read.
    ...(isRestored ? [] : records.flatMap((record) => faultsOfFedPass(record, byPass.get(record.id) ?? []))),
    ...faultsOfDeliveries(world, ofPasses),
    ...faultsOfCounts(world, records, byPass),
  ];
}

const recordIn = ({ record }: SqlRow) => JSON.parse(String(record)) as PublishedPass;
const eventIn = ({ type, body }: SqlRow): FedEvent => ({ ...JSON.parse(String(body)), type: String(type) });

/** The feed has the entries of the record in their order, each with its contents. An entry whose transaction changes comes again. */
function faultsOfFedPass(record: PublishedPass, fed: readonly FedEvent[]): string[] {
  const of = `of the pass of ${record.walletAddress} on ${record.chain.network}`;
  const entries = record.events.filter(({ eventType }) => typesOf(eventType).length > 0);
  let next = 0;
  const strange = fed.filter(({ data: { event }, type, timestamp }) => {
    const isNext = isSame(entries[next], event);
    if (isNext) next += 1;
    const isTyped = typesOf(event.eventType).includes(type) && Date.parse(timestamp) === event.timestamp * 1_000;
    return !isTyped || !(isNext || entries.slice(0, next).some((entry) => isSame(entry, event)));
  });
  const named = fed.filter(({ data: { pass } }) => !isOf(pass, record));
  const newest = new Map(
    fed.flatMap(({ data: { event } }) => {
      const { identifier, status } = event.transaction ?? {};
      return identifier === undefined ? [] : [[identifier, status]];
    }),
  );
  const old = entries.filter(
    ({ transaction }) => transaction && newest.get(transaction.identifier) !== transaction.status,
  );
  return [
    ...(next < entries.length ? [`the feed lacks ${entries[next]?.eventType} ${of}`] : []),
    ...strange.map(({ data }) => `the feed has ${data.event.eventType} ${of}, which the record lacks there`),
    ...named.map(({ type }) => `an event ${type} ${of} has another pass`),
    ...old.map(({ eventType }) => `the feed has another status of the transaction of ${eventType} ${of}`),
  ];
}

function isSame(entry: RecordEvent | undefined, event: RecordEvent): boolean {
  const contents = ({ eventType, timestamp, reason, requestId, byOthers }: RecordEvent) =>
    JSON.stringify([eventType, timestamp, reason, requestId, byOthers]);
  return entry !== undefined && contents(entry) === contents(event);
}

const isOf = (pass: ShownPass, record: ShownPass): boolean =>
  pass.id === record.id && pass.walletAddress === record.walletAddress && pass.chain.network === record.chain.network;

/** Each delivery of a webhook is the event of the feed. */
function faultsOfDeliveries({ receivers, incidents }: World, fed: readonly SqlRow[]): string[] {
  if (receivers.deliveries.size === 0) return [];
  const bodies = new Map(
    fed.map(({ sequence, type, body }) => {
      const { id, ...event } = JSON.parse(String(body));
      return [id, contentsOf({ ...event, id, sequence, type })];
    }),
  );
  const wrong = [...receivers.deliveries.values()].filter((body) => {
    const event = JSON.parse(body);
    if (incidents.restores.length > 0 && !bodies.has(event.id)) return false;
    return bodies.get(event.id) !== contentsOf(event);
  });
  return wrong.map((body) => `a receiver gets another event than the feed has (${body})`);
}

const contentsOf = ({ id, sequence, type, timestamp, data }: FedEvent & { readonly sequence: number }): string =>
  JSON.stringify([id, sequence, type, timestamp, data.event, data.pass.id, data.pass.state, data.pass.onChainState]);

/** The usage counts the confirmed changes of the service, less those that were reorged. */
function faultsOfCounts(
  { platform, incidents }: World,
  records: readonly PublishedPass[],
  byPass: ReadonlyMap<string, readonly FedEvent[]>,
): string[] {
  const counted = new Map<string, number>();
  const add = (name: string, amount: number) => counted.set(name, (counted.get(name) ?? 0) + amount);
  for (const { id, gatekeeperNetwork, chain, events } of records)
    for (const event of events) {
      const change = changeIn(event, byPass.get(id) ?? []);
      const month = new Date(event.timestamp * 1_000).toISOString().slice(0, 7);
      const name = `${gatekeeperNetwork} ${chain.network} ${month} ${change}`;
      if (change !== undefined) add(name, event.eventType.endsWith('_REORGED') ? -1 : 1);
    }
  for (const { gatekeeper_network: owner, network, month, ...row } of readRows(platform, 'SELECT * FROM usage'))
    for (const change of ['issued', 'renewed', 'revoked'])
      add(`${owner} ${network} ${month} ${change}`, -Number(row[change]));
  // A change whose publication its pass object does not know is published again after a restore, and counts twice. The feed may lack
  // the event that tells a renewal.
  const isRestored = incidents.restores.length > 0;
  const isKept = (name: string, difference: number) =>
    difference === 0 || (isRestored && (difference < 0 || name.endsWith('renewed')));
  return [...counted].flatMap(([name, difference]) =>
    isKept(name, difference) ? [] : [`the usage and the records differ by ${difference}: ${name}`],
  );
}

/** Returns the change of an event that the usage counts: one with a transaction of the service. */
function changeIn(event: RecordEvent, fed: readonly FedEvent[]): 'issued' | 'renewed' | 'revoked' | undefined {
  const { eventType, transaction, byOthers } = event;
  if (transaction === undefined || byOthers !== undefined) return undefined;
  if (/^TOKEN_ISSUED(_REORGED)?$/.test(eventType)) return 'issued';
  if (/^TOKEN_REVOKED(_REORGED)?$/.test(eventType)) return 'revoked';
  if (!/^TOKEN_EXPIRY_CHANGED(_REORGED)?$/.test(eventType)) return undefined;
  const isRenewal = fed.some(
    ({ type, data }) => type === 'pass.renewed' && data.event.transaction?.identifier === transaction.identifier,
  );
  return isRenewal ? 'renewed' : undefined;
}
