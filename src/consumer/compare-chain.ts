import type { Config } from '../config/config.ts';
import { findSigner } from '../config/signers.ts';
import { log, logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Backend } from '../operations/backend.ts';
import { differsOnChain, type OnChain, type PassKey } from '../pass/pass.ts';
import type { AdoptResult, Inspection } from '../pass-object/results.ts';
import type { Absences } from '../store/absences.ts';
import type { Publication } from '../store/passes.ts';
import { type ComparedPass, countAbsences, pairOf } from './absence-limit.ts';
import type { Tally } from './differences.ts';

interface ReadPass extends ComparedPass {
  readonly key: PassKey;
  readonly publication: Publication;
}

/**
 * Compares settled passes with their chains, and adopts changes by others. If too many passes of a pair seem to have lost
 * their token, it adopts nothing for that pair. Unsettled passes read the chain by themselves. Returns the counts of these
 * losses in the run.
 */
export async function compareWithChain(
  passes: readonly Inspection[],
  run: number,
  tally: Tally,
  config: Config,
  backend: Backend,
): Promise<Absences[]> {
  const bySigner = Map.groupBy(
    passes.filter(({ isSettled }) => isSettled),
    ({ signer }) => signer,
  );
  const groups = await Promise.all(
    [...bySigner].map(async ([signer, group]) => {
      if (findSigner(config, signer) !== undefined) return readGroup(signer, group, backend);
      tally.count('signer-not-configured', group.length);
      return [];
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
  const adopted: AdoptResult[] = [];
  for (const { publication, known, reading } of passes) {
    if (reading.type !== 'read') tally.count(reading.type);
    else if (differsOnChain(known, reading.onChain)) {
      if (isHeld) {
        tally.count('held');
        continue;
      }
      const result = await adoptReading(publication, reading.onChain, backend);
      if (result?.changed) {
        tally.report('changed-on-chain', result.publication);
        adopted.push(result);
      }
    }
  }
  await backend.store.publishBatch(adopted.map(({ publication }) => publication));
  const unsettled = adopted.filter(({ publish }) => publish === 'record-and-work');
  const messages = unsettled.map(({ publication }) => ({ pass: publication.key }));
  // Best effort: without the messages, the alarms of the passes do the same later.
  await sendProcessPasses(backend.queue, messages).catch((fault) =>
    logFault('queue.send_failed', fault, { messages: messages.length }),
  );
}

async function readGroup(signer: SignerName, group: readonly Inspection[], backend: Backend): Promise<ReadPass[]> {
  const readings = await readOnChain(signer, group, backend);
  return group.map(({ publication, onChain: known }, index) => {
    const reading = readings?.[index] ?? { type: 'unreadable', why: 'its signer does not answer' };
    return { key: publication.key, publication, known, reading };
  });
}

async function readOnChain(signer: SignerName, group: readonly Inspection[], { signerObject }: Backend) {
  const questions = group.map(({ publication: { id, key }, onChain }) => ({ pass: id, key, known: onChain }));
  try {
    return await signerObject(signer).readPasses(questions);
  } catch (fault) {
    logFault('signer.unreachable', fault, { signer });
    return undefined;
  }
}

async function adoptReading(
  { key, id }: Publication,
  onChain: OnChain,
  { passObject }: Backend,
): Promise<AdoptResult | undefined> {
  try {
    return await passObject(key).adoptReading(onChain);
  } catch (fault) {
    logFault('pass.unreachable', fault, { pass: id });
    return undefined;
  }
}
