import type { Config } from '../config/config.ts';
import { findSigner } from '../config/signers.ts';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Backend } from '../operations/backend.ts';
import { differsOnChain, type OnChain } from '../pass/pass.ts';
import type { AdoptResult, Inspection } from '../pass-object/results.ts';
import type { Tally } from './differences.ts';

/**
 * Compares settled passes with what their chains hold, and adopts what others changed. Unsettled passes read the chain by
 * themselves.
 */
export async function compareWithChain(
  passes: readonly Inspection[],
  tally: Tally,
  config: Config,
  backend: Backend,
): Promise<void> {
  const bySigner = Map.groupBy(
    passes.filter(({ isSettled }) => isSettled),
    ({ signer }) => signer,
  );
  await Promise.all(
    [...bySigner].map(async ([signer, group]) => {
      if (findSigner(config, signer) === undefined) tally.count('signer-not-configured', group.length);
      else await compareGroup(signer, group, tally, backend);
    }),
  );
}

async function compareGroup(
  signer: SignerName,
  group: readonly Inspection[],
  tally: Tally,
  backend: Backend,
): Promise<void> {
  const readings = await readOnChain(signer, group, backend);
  const adopted: AdoptResult[] = [];
  for (const [index, pass] of group.entries()) {
    const reading = readings?.[index] ?? { type: 'unreadable' };
    if (reading.type !== 'read') tally.count(reading.type);
    else if (differsOnChain(pass.onChain, reading.onChain)) {
      const result = await adoptReading(pass, reading.onChain, backend);
      if (result?.changed) {
        tally.report('changed-on-chain', result.publication);
        adopted.push(result);
      }
    }
  }
  await backend.store.publishBatch(adopted.map(({ publication }) => publication));
  const unsettled = adopted.filter(({ publish }) => publish === 'record-and-work');
  const messages = unsettled.map(({ publication }) => ({ pass: publication.key }));
  // Without the messages, the passes' alarms do the same later.
  await sendProcessPasses(backend.queue, messages).catch((fault) => logFault('reconcile', fault));
}

async function readOnChain(signer: SignerName, group: readonly Inspection[], { signerObject }: Backend) {
  const questions = group.map(({ publication: { id, key }, onChain }) => ({ pass: id, key, known: onChain }));
  try {
    return await signerObject(signer).readPasses(questions);
  } catch (fault) {
    logFault('signer-unreachable', fault, { signer });
    return undefined;
  }
}

async function adoptReading(
  { publication }: Inspection,
  onChain: OnChain,
  { passObject }: Backend,
): Promise<AdoptResult | undefined> {
  try {
    return await passObject(publication.key).adoptReading(onChain);
  } catch (fault) {
    logFault('pass-unreachable', fault, { pass: publication.id });
    return undefined;
  }
}
