import type { Address, Signature } from '@solana/kit';
import { HOUR_MS, MINUTE_MS, SECOND_MS, type UnixSeconds } from '../../lib/units.ts';
import { SOLANA_SLOT_MIN_MS } from '../../network/network.ts';
import type { EndpointScan } from '../ask-in-turn.ts';
import type { JsonRpc } from '../json-rpc.ts';
import { RpcFault } from '../port.ts';
import type { Place, Span } from '../watch-port.ts';
import { CLOCK_SYSVAR, readClock, type SolanaRpc, solanaRpc } from './rpc.ts';

/** Reads the signatures of the program's transactions in a span from one endpoint. */

/** Maximum number of signatures per call (Agave's limit). A span of 10 s has up to 67 slots: with more than 15 in each, a gap is left. */
const PAGE_SIGNATURES = 1_000;
/**
 * Number of slots before `after` that a scan still reads, a minute of the shortest ones: a node may list a transaction later than it
 * confirms its slot. A node that does not know the signature `until` returns everything, so a scan drops what is older.
 */
const OVERLAP_SLOTS = MINUTE_MS / SOLANA_SLOT_MIN_MS;
/** Every node has the blocks of the last hour. An answer for an older span may lack the blocks that the node has deleted. */
const KEPT_MS = HOUR_MS;

type Listed = Awaited<ReturnType<ReturnType<SolanaRpc['getSignaturesForAddress']>['send']>>[number];

/** Scans the newest part of a span in one request: at most as many transactions as a node lists at once. */
export async function scanWith(send: JsonRpc, program: Address, { after, before }: Span): Promise<EndpointScan> {
  const rpc = solanaRpc(send);
  const limit = after === undefined ? 1 : PAGE_SIGNATURES;
  const isOld = after !== undefined && Date.now() - after.time * SECOND_MS > KEPT_MS;
  const ends = {
    ...(after?.id && { until: after.id as Signature }),
    ...(before?.id && { before: before.id as Signature }),
  };
  const [clock, finalSlot, page, firstSlot, statuses] = await Promise.all([
    rpc.getAccountInfo(CLOCK_SYSVAR, { commitment: 'confirmed', encoding: 'base64' }).send(),
    rpc.getSlot({ commitment: 'finalized' }).send(),
    rpc.getSignaturesForAddress(program, { commitment: 'confirmed', limit, ...ends }).send(),
    isOld ? rpc.getFirstAvailableBlock().send() : 0n,
    before?.id
      ? rpc.getSignatureStatuses([before.id as Signature], { searchTransactionHistory: true }).send()
      : undefined,
  ]);
  const [confirmedAt, finalSlotAt, first] = [clock.context.slot, finalSlot, firstSlot].map(Number) as [
    number,
    number,
    number,
  ];
  // Behind one URL, another node may answer each call.
  const finalAt = Math.min(finalSlotAt, confirmedAt);
  const now: Place = { at: confirmedAt, id: page[0]?.signature ?? after?.id ?? '', time: readClock(clock.value).time };
  const depths = { confirmedAt, finalAt };
  if (after === undefined) return { type: 'scanned', changes: [], newest: now, ...depths };
  const end = Math.max(after.at, before?.at ?? 0);
  if (confirmedAt < end) return { type: 'behind', why: `the node does not have slot ${end}` };
  const isCut = first > after.at + 1;
  if (before && isCut && (page.length === 0 || before.at <= first))
    return { type: 'gone', why: `the first block of the node has the slot ${first}` };
  // A node that does not know the signature `before` returns nothing.
  if (before && statuses?.value[0] === null) {
    if (finalAt < before.at) throw new RpcFault('the node does not have the end of the span');
    return { type: 'reorged' };
  }
  const oldestSlot = after.at - OVERLAP_SLOTS;
  const inSpan = page.filter(
    ({ slot }) => Number(slot) > oldestSlot && (before === undefined || Number(slot) <= before.at),
  );
  const changes = inSpan
    .filter(({ err }) => err === null)
    .map(({ signature, slot }) => ({
      type: 'transaction' as const,
      transaction: signature as string,
      at: Number(slot),
      contract: program as string,
    }))
    .toReversed();
  const [newest, oldest] = [page[0], page.at(-1)];
  const isFull = page.length === limit && oldest !== undefined && Number(oldest.slot) > oldestSlot;
  const oldestRead = oldest ? placeOf(oldest, now.time) : { at: first, id: '', time: now.time };
  return {
    type: 'scanned',
    changes,
    newest: before === undefined ? now : newest ? placeOf(newest, now.time) : after,
    ...depths,
    ...((isFull || isCut) && { left: { after, before: oldestRead } }),
  };
}

/** @param time For a transaction whose time the node does not know. */
function placeOf({ signature, slot, blockTime }: Listed, time: UnixSeconds): Place {
  return { at: Number(slot), id: signature, time: blockTime === null ? time : Number(blockTime) };
}
