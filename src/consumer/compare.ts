import type { Config } from '../config/config.ts';
import { findReader, findSimulation } from '../config/signers.ts';
import type { Milliseconds } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import { reachObject } from '../message/call-object.ts';
import { adoptFromChain, handOver } from '../message/hand-over.ts';
import type { SignerName } from '../network/network.ts';
import { rulesFor } from '../network/sandbox.ts';
import type { Backend } from '../operations/backend.ts';
import { differsOnChain, hasValidToken, isOfLaterToken, type OnChain, type PassKey } from '../pass/pass.ts';
import type { Inspection } from '../pass-object/results.ts';
import type { PassReading } from '../signer-object/read-passes.ts';
import type { Publication, PublishedRow } from '../store/passes.ts';
import type { Absences, Counts, Difference, Pair } from '../store/runs.ts';

/** Why a pass could not be compared this time. */
type Skipped =
  | 'object-unreachable'
  /** Too many passes of the pair seem to have lost their token: nothing changes until the operator accepts it. */
  | 'held'
  | 'signer-not-configured'
  | 'busy'
  | 'not-final'
  | 'unreadable';
/** The reasons after which a later comparison may show a change by others. A busy pass reads its wallet with its step. */
const UNDECIDED: readonly Skipped[] = [
  'object-unreachable',
  'held',
  'signer-not-configured',
  'not-final',
  'unreadable',
];

/** Counts the results of a slice, and logs each difference. */
export class Tally {
  readonly #counts: Record<string, number> = {};

  get counts(): Counts {
    return this.#counts;
  }

  /** Whether a later comparison of the same passes may find more. */
  get isUndecided(): boolean {
    return UNDECIDED.some((what) => this.#counts[what] !== undefined);
  }

  count(what: 'passes' | Difference | Skipped, times = 1): void {
    this.#counts[what] = (this.#counts[what] ?? 0) + times;
  }

  report(what: Difference, { id, key }: { readonly id: string; readonly key: { readonly network: string } }): void {
    log('reconciliation.difference', { difference: what, pass: id, network: key.network });
    this.count(what);
  }
}

/** A pass of a slice, and its row in the read model. */
export interface PassOfSlice {
  readonly key: PassKey;
  readonly row: PublishedRow | undefined;
}

/**
 * Compares rows of the read model with their pass objects, and repairs rows that differ. Returns the passes as their objects
 * have them. Throws if the database does not answer.
 */
export async function compareRows(
  passes: readonly PassOfSlice[],
  tally: Tally,
  backend: Backend,
): Promise<Inspection[]> {
  const compared = await Promise.all(passes.map(({ key, row }) => inspectPass(key, row, tally, backend)));
  const found = compared.filter((each) => each !== undefined);
  for (const { inspection } of found) {
    if (inspection.wasWithoutAlarm) tally.report('no-alarm', inspection.publication);
  }
  await repairRows(found, tally, backend);
  return found.map(({ inspection }) => inspection);
}

interface InspectedRow {
  readonly row: PublishedRow | undefined;
  readonly inspection: Inspection;
}

async function inspectPass(
  key: PassKey,
  row: PublishedRow | undefined,
  tally: Tally,
  { passObject, store }: Backend,
): Promise<InspectedRow | undefined> {
  const { gatekeeperNetwork } = key;
  try {
    const inspection = await passObject(key).inspect();
    if (inspection !== undefined) return { row, inspection };
    if (row === undefined) return undefined;
    // A late publication or a restored database may bring the row of a deleted pass back.
    if (!rulesFor(gatekeeperNetwork).forgetsPasses) tally.report('no-pass-object', row);
    else await store.erasePass(row);
  } catch (fault) {
    logFault('pass.unreachable', fault, { pass: row?.id });
    tally.count('object-unreachable');
  }
  return undefined;
}

async function repairRows(rows: readonly InspectedRow[], tally: Tally, backend: Backend): Promise<void> {
  const { store } = backend;
  const suspects = rows.filter(({ row, inspection }) => differenceOf(row, inspection.publication) !== undefined);
  // Read the rows again: a pass that changed between the two reads is no difference, because its row follows.
  const newRows = await store.findRows(suspects.map(({ inspection }) => inspection.publication));
  const behind: Publication[] = [];
  for (const [index, { row, inspection }] of suspects.entries()) {
    const { publication } = inspection;
    const isAltered = differenceOf(row, publication) === 'row-altered';
    const difference = isAltered ? 'row-altered' : differenceOf(newRows[index], publication);
    if (difference === undefined || (difference === 'row-altered' && !isAltered)) continue;
    tally.report(difference, publication);
    if (isAltered && row !== undefined) await store.correctRow(publication, row.version);
    else behind.push(publication);
  }
  const { fault } = await handOver(
    behind.map((publication) => ({ publication, publish: 'record' })),
    backend,
  );
  // The alarm of a pass that knows of its row does not repair it.
  if (fault !== undefined) throw fault;
}

/** Returns how the row differs from the pass. The row was read first, so it is newer only if somebody else wrote it. */
function differenceOf(row: PublishedRow | undefined, pass: Publication): Difference | undefined {
  if (row === undefined) return 'row-missing';
  if (row.version < pass.version) return 'row-stale';
  const isSame = row.version === pass.version && row.id === pass.id && row.state === pass.state;
  return isSame && row.record === pass.record ? undefined : 'row-altered';
}

interface ReadPass extends ComparedPass {
  readonly key: PassKey;
  readonly publication: Publication;
}

/**
 * Compares settled passes with their chains, and adopts changes by others. If too many passes of a pair seem to have lost
 * their token, it adopts nothing for that pair. Unsettled passes read the chain by themselves, and only note a loss of access, because
 * their steps may wait for days. Returns the counts of these losses in the run.
 * @param unreadUntil Nobody has read the changes by others up to this time (ms). An unsettled pass with a transaction that was signed
 *   before must be compared again: others may have changed the token since its block, and its outcome does not say so.
 */
export async function compareWithChain(
  passes: readonly Inspection[],
  run: number,
  tally: Tally,
  config: Config,
  backend: Backend,
  unreadUntil: Milliseconds = 0,
): Promise<Absences[]> {
  const bySigner = Map.groupBy(passes, ({ signer }) => signer);
  const groups = await Promise.all(
    [...bySigner].map(async ([signer, group]) => {
      // A sandbox tells its passes what others change, and no alert is about it.
      if (findSimulation(config, signer) !== undefined) return [];
      const reader = findReader(config, signer);
      if (reader === undefined) {
        tally.count('signer-not-configured', group.length);
        return [];
      }
      const [settled, unsettled] = [
        group.filter(({ isSettled }) => isSettled),
        group.filter((each) => !each.isSettled),
      ];
      const [readings] = await Promise.all([
        readGroup(reader, settled, backend),
        noteLosses(reader, unsettled, tally, backend, unreadUntil),
      ]);
      return readings;
    }),
  );
  const byPair = Map.groupBy(groups.flat(), ({ key }) => pairOf(key));
  const counts = await countPairs(run, byPair, backend);
  await Promise.all(
    [...byPair].map(([pair, group]) => adoptGroup(group, counts.get(pair)?.isHeld === true, tally, backend)),
  );
  return [...counts.values()];
}

async function countPairs(
  run: number,
  byPair: ReadonlyMap<string, readonly ReadPass[]>,
  { store }: Backend,
): Promise<ReadonlyMap<string, Absences>> {
  const pairs = [...byPair.values()].flatMap(([first]) => (first === undefined ? [] : [first.key]));
  const stored = new Map((await store.absencesIn(run, pairs)).map((each) => [pairOf(each), each]));
  const counted = pairs.map(({ gatekeeperNetwork, network }) => {
    const pair = pairOf({ gatekeeperNetwork, network });
    const none = { gatekeeperNetwork, network, compared: 0, absent: 0, isHeld: false, accepted: 0 };
    const before = stored.get(pair) ?? none;
    const after = countAbsences(before, byPair.get(pair) ?? []);
    if (after.isHeld && !before.isHeld) {
      const { compared, absent } = after;
      log('reconciliation.absences_held', { gatekeeper_network: gatekeeperNetwork, network, compared, absent });
    }
    return [pair, after] as const;
  });
  return new Map(counted);
}

async function adoptGroup(passes: readonly ReadPass[], isHeld: boolean, tally: Tally, backend: Backend): Promise<void> {
  const differing = passes.flatMap(({ publication: { key, id: pass }, known, reading }) => {
    if (reading.type !== 'read') tally.count(reading.type);
    else if (differsOnChain(known, reading.onChain) || isOfLaterToken(known, reading.onChain))
      return { key, pass, observation: { final: reading.onChain } };
    return [];
  });
  if (isHeld) {
    if (differing.length > 0) tally.count('held', differing.length);
    return;
  }
  const { answers, fault } = await adoptFromChain(differing, backend);
  for (const answer of answers)
    if (typeof answer === 'string') tally.count('object-unreachable');
    else if (answer.changed) tally.report('changed-on-chain', answer.publication);
  if (fault !== undefined) throw fault;
}

/** Lets unsettled passes note that others have taken access away. */
async function noteLosses(
  signer: SignerName,
  group: readonly Inspection[],
  tally: Tally,
  backend: Backend,
  unreadUntil: Milliseconds,
): Promise<void> {
  if (group.length === 0) return;
  const observe = async () => backend.signerObject(signer).observe(group.map(({ question }) => question));
  const observed = await reachObject(observe, 'signer', signer);
  const shown = group.flatMap(({ publication: { id: pass, key } }, index) => {
    const { confirmed, openSince } = observed?.[index] ?? {};
    // A step that its signer has not signed yet reads the wallet first.
    if (openSince !== undefined && openSince <= unreadUntil) tally.count('not-final');
    if (confirmed !== undefined) return { key, pass, observation: { confirmed } };
    tally.count('unreadable');
    return [];
  });
  const { fault } = await adoptFromChain(shown, backend);
  if (fault !== undefined) throw fault;
}

async function readGroup(
  signer: SignerName,
  group: readonly Inspection[],
  { signerObject }: Backend,
): Promise<ReadPass[]> {
  const readings = await reachObject(
    async () => signerObject(signer).readPasses(group.map(({ question }) => question)),
    'signer',
    signer,
  );
  return group.map(({ publication, question: { known } }, index) => {
    const reading = readings?.[index] ?? { type: 'unreadable', why: 'its signer does not answer' };
    return { key: publication.key, publication, known, reading };
  });
}

/** A pass that was compared with the chain. */
export interface ComparedPass {
  readonly key: Pair;
  readonly known: OnChain;
  readonly reading: PassReading;
}

/**
 * For each pair of gatekeeper network and network, a run adopts the loss of this many tokens, or of `MAX_SHARE` of the
 * compared passes if that is more. More losses look like a wrong contract address, or nodes without data.
 */
const FREE_ABSENCES = 5;
const MAX_SHARE = 0.02;

/** Returns the counts after these passes, given the counts before them. All passes belong to the same pair. Pure. */
export function countAbsences(before: Absences, passes: readonly ComparedPass[]): Absences {
  const compared = before.compared + passes.filter(({ reading }) => reading.type === 'read').length;
  const absent = before.absent + passes.filter(isAbsent).length;
  const isTooMany = absent > Math.max(FREE_ABSENCES, MAX_SHARE * compared, before.accepted);
  return { ...before, compared, absent, isHeld: before.isHeld || isTooMany };
}

function isAbsent({ known, reading }: ComparedPass): boolean {
  return reading.type === 'read' && hasValidToken(known) && !hasValidToken(reading.onChain);
}

/** Returns the text that identifies a pair of gatekeeper network and network. */
export function pairOf({ gatekeeperNetwork, network }: Pair): string {
  return `${gatekeeperNetwork}/${network}`;
}
