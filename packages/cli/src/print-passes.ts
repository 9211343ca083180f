import type { FeedEvent, Pass } from '@gatepass/client';
import Table from 'cli-table3';
import { OWN_NAMES } from './csv/own-names.ts';
import type { Output } from './output.ts';
import { presentTime } from './present-time.ts';
import { printable } from './printable.ts';
import type { Session } from './session.ts';

/** Prints rows below a header, without colors and borders. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[], output: Output): void {
  const chars = Object.fromEntries(BORDERS.map((name) => [name, ''])) as Record<(typeof BORDERS)[number], string>;
  const style = { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true };
  const table = new Table({ head: head.map(printable), chars: { ...chars, middle: '  ' }, style });
  const maxChars = Math.min(CELL_MAX_CHARS, Math.floor(COLUMN_MAX_CHARS / rows.length));
  for (const row of rows) table.push(row.map((cell) => printable(cut(cell, maxChars))));
  const lines = table.toString().split('\n');
  output.print(...lines.map((line) => line.trimEnd()));
}

/** The longest text of the service is a URL. A column has the width of its longest cell in all rows, so longer ones would fill the memory. */
const CELL_MAX_CHARS = 2_000;
const COLUMN_MAX_CHARS = 8_000_000;

const cut = (text: string, maxChars: number) => (text.length > maxChars ? `${text.slice(0, maxChars)}…` : text);

const BORDERS = [
  ...(['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'] as const),
  ...(['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'] as const),
];

/** Prints each record as a line of JSON. */
export function printLines(records: readonly unknown[], output: Output): void {
  for (const record of records) output.printJson(record);
}

/** Prints passes as a table. It asks for the time of the passes if only that says whether one has expired. */
export async function printPasses(
  passes: readonly Pass[],
  { stdout, connect }: Pick<Session, 'stdout' | 'connect'>,
): Promise<void> {
  const machine = Math.floor(Date.now() / 1000);
  const isUnclear = ({ valid, validUntil = 0 }: Pass) => valid === false && validUntil >= machine;
  const now = passes.some(isUnclear) ? await presentTime(connect()) : machine;
  const names = OWN_NAMES.filter((name) => passes.some((pass) => pass[name] !== undefined));
  const rows = passes.map((pass) => [
    pass.chain.network,
    pass.walletAddress,
    pass.state,
    pass.onChainState,
    validityOf(pass, now),
    timeOf(pass.expiryTimestamp),
    ...names.map((name) => pass[name] ?? ''),
    pass.events.at(-1)?.eventType ?? '',
  ]);
  const head = ['network', 'wallet', 'state', 'on chain', 'valid', 'expires', ...names, 'last event'];
  printTable(head, rows, stdout);
}

/** Returns whether the pass is valid; an empty text if the service is older than this field. */
function validityOf({ valid, validUntil }: Pass, now: number): string {
  if (valid === undefined) return '';
  if (valid) return 'yes';
  return validUntil !== undefined && validUntil < now ? 'no: expired' : 'no';
}

export function printEvents({ events }: Pass, output: Output): void {
  const rows = events.map(({ eventType, timestamp, transaction, reason, byOthers }) => [
    timeOf(timestamp),
    eventType,
    reason ?? [transaction?.identifier, transaction?.status, originOf(byOthers)].filter(Boolean).join(' '),
  ]);
  printTable(['time', 'event', 'transaction or reason'], rows, output);
}

/** Prints why passes wait. */
export function printReasons(passes: readonly Pass[], output: Output): void {
  for (const { chain, waitsFor } of passes)
    if (waitsFor !== undefined) output.print('', printable(`waits on ${chain.network}: ${waitsFor.detail}`));
}

function originOf(byOthers: Pass['events'][number]['byOthers']): string | undefined {
  if (byOthers === undefined) return undefined;
  return byOthers.gatekeeper === undefined ? 'by others' : `by others: ${byOthers.gatekeeper}`;
}

/** Returns an event of the feed as one line. */
export function lineOfEvent({ sequence, timestamp, type, data }: FeedEvent): string {
  const { pass, event } = data ?? {};
  return [sequence, timestamp, type, pass?.chain.network, pass?.walletAddress, pass?.state, event?.reason]
    .filter((part) => part !== undefined)
    .join('  ');
}

/** Returns Unix seconds in ISO 8601, or `never`. */
function timeOf(seconds: number | undefined): string {
  if (seconds === undefined) return 'never';
  return new Date(seconds * 1000).toISOString().replace('.000', '');
}
