import { readRows } from '../world/database.ts';
import { type ChainNetwork, type PassKey, textOf } from '../world/networks.ts';
import { readTrails } from '../world/trails.ts';
import type { World } from '../world/world.ts';
import { ownersOf } from './entry-owners.ts';
import type { RecordEvent } from './learned-changes.ts';
import { linearize } from './linearize.ts';
import { NO_PASS } from './pass-model.ts';
import { type EndedPass, operationsOf, type PassOperation } from './pass-operations.ts';
import { type AskedPass, passesAsked, type ShownPass } from './passes-asked.ts';
import { disputedTransactions, lostEvents } from './told-pass.ts';

/**
 * The requests about each pass have an order that explains all answers, the audit trail, the events of the record, and the record at the end. The
 * trail has each accepted change once, and no refused one.
 */

/** Returns what is wrong with the histories of all passes. */
export function faultsOfHistories(world: World): string[] {
  // "Until the rebuild is done, GET returns what was restored."
  const isCurrent = ({ type, asked: { at, answeredAt = at } }: AskedPass) =>
    type !== 'fetch' || !(world.incidents.mayBeRestored(at) || world.incidents.mayBeRestored(answeredAt));
  const asked = Map.groupBy(passesAsked(world.requests.asked).filter(isCurrent), ({ name }) => name);
  const entries = Map.groupBy([...readTrails(world.platform).values()].flat(), ({ target }) => target.pass);
  const { changedRows } = world.incidents;
  const faults = readRows(world.platform, 'SELECT record FROM passes').flatMap(({ record: text }) => {
    const record = JSON.parse(String(text)) as ShownPass & Pick<PassKey, 'gatekeeperNetwork'>;
    const { gatekeeperNetwork, chain, walletAddress } = record;
    const name = textOf({ gatekeeperNetwork, network: chain.network as ChainNetwork, wallet: walletAddress });
    const ended = { record, asked: asked.get(name) ?? [], entries: entries.get(record.id) ?? [] };
    asked.delete(name);
    // Fetches have shown the row.
    if (changedRows.has(name)) return [];
    return faultsOfHistory(world, ended);
  });
  const shown = [...asked.values()].flat().flatMap(({ record }) => record ?? []);
  return [...faults, ...shown.map(({ id }) => `an answer shows a pass without a row (${id})`)];
}

function faultsOfHistory({ deployment, now }: World, pass: EndedPass): string[] {
  const { record, asked, entries } = pass;
  const { walletAddress, chain } = record;
  const of = `of the pass of ${walletAddress} on ${chain.network}`;
  const owners = ownersOf(entries, asked);
  const strange = entries.filter((entry) => !owners.has(entry));
  const requestIds = new Set(entries.map(({ requestId }) => requestId));
  const unexplained = record.events.filter((event) => !requestIds.has(event.requestId) && needsRequest(event));
  const lost = lostEvents(asked, record);
  const disputed = [record, ...asked.flatMap((each) => each.record ?? [])].flatMap(disputedTransactions);
  const mayBeForeign = deployment.keysChanged && chain.network === 'devnet';
  const deadEnd = linearize(operationsOf(pass, { owners, mayBeForeign, now }), NO_PASS);
  const left = deadEnd?.left.map((each) => (each as PassOperation).words).join('; ');
  return [
    ...strange.map(({ action, key }) => `no request explains the entry ${action} ${of} (${key})`),
    ...unexplained.map(({ eventType, requestId }) => `no entry explains ${eventType} ${of} (${requestId})`),
    ...(lost.length > 0 ? [`a later record lacks an event ${of} (${lost.join('; ')})`] : []),
    ...(disputed.length > 0 ? [`a transaction ${of} has two statuses in one record (${disputed.join()})`] : []),
    ...(deadEnd ? [`no order explains the requests ${of} (after ${JSON.stringify(deadEnd.state)}: ${left})`] : []),
  ];
}

/** "Absent for a change by others, an expiry, and events of earlier releases." */
const needsRequest = ({ eventType, requestId, byOthers }: RecordEvent): boolean =>
  requestId !== undefined || (byOthers === undefined && !/^TOKEN_EXPIR(ING|ED)$/.test(eventType));
