import type { Config } from '../config/config.ts';
import { findSigner } from '../config/signers.ts';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import { type OnChain, passName } from '../pass/pass.ts';
import type { Accepted, Inspection } from '../pass-object/pass-object.ts';
import { publishToShards } from '../store/passes.ts';
import type { Tally } from './differences.ts';

/**
 * Compares what is known of passes with what their chains hold; what others changed is taken over. Passes that are not
 * settled look at the chain by themselves.
 */
export async function compareWithChain(
  passes: readonly Inspection[],
  tally: Tally,
  config: Config,
  env: Env,
): Promise<void> {
  const bySigner = Map.groupBy(
    passes.filter(({ isSettled }) => isSettled),
    ({ signer }) => signer,
  );
  await Promise.all(
    [...bySigner].map(async ([signer, group]) => {
      if (findSigner(config, signer) === undefined) tally.count('signer-not-configured', group.length);
      else await compareGroup(signer, group, tally, env);
    }),
  );
}

async function compareGroup(signer: string, group: readonly Inspection[], tally: Tally, env: Env): Promise<void> {
  const readings = await readOnChain(signer, group, env);
  const learned: Accepted[] = [];
  for (const [index, pass] of group.entries()) {
    const reading = readings?.[index] ?? { type: 'unreadable' };
    if (reading.type !== 'read') tally.count(reading.type);
    else if (differ(pass.onChain, reading.onChain)) {
      const granted = await adoptReading(pass, reading.onChain, env);
      if (granted?.changed) {
        tally.report('changed-on-chain', granted.publication);
        learned.push(granted);
      }
    }
  }
  await publishToShards(
    env,
    learned.map(({ publication }) => publication),
  );
  const due = learned.filter(({ settled }) => !settled).map(({ publication }) => ({ pass: publication.key }));
  // Their alarms would see to it as well.
  await sendProcessPasses(env.LOOKS, due).catch((fault) => logFault('reconcile', fault));
}

async function readOnChain(signer: string, group: readonly Inspection[], env: Env) {
  const questions = group.map(({ publication, onChain }) => ({
    pass: publication.id,
    key: publication.key,
    known: onChain,
  }));
  try {
    return await env.SIGNERS.getByName(signer).readPasses(questions);
  } catch (fault) {
    logFault('signer-unreachable', fault, { signer });
    return undefined;
  }
}

async function adoptReading({ publication }: Inspection, onChain: OnChain, env: Env): Promise<Accepted | undefined> {
  try {
    return await env.PASSES.getByName(passName(publication.key)).adoptReading(onChain);
  } catch (fault) {
    logFault('pass-unreachable', fault, { pass: publication.id });
    return undefined;
  }
}

function differ(known: OnChain, found: OnChain): boolean {
  return known.state !== found.state || known.expiry !== found.expiry || known.foreign !== found.foreign;
}
