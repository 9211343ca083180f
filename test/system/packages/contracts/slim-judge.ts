import { type Address, decodeErrorResult, type Hex, numberToHex } from 'viem';
import { type Difference, OldPlan } from './slim-beside-old.ts';
import { SLIM, tokenIdOf } from './slim-gateway.ts';
import {
  type Ask,
  answersIn,
  dataOf,
  newIdOf,
  PLAIN_READS,
  type Result,
  readCall,
  readsOf,
  simulate,
  type Timed,
} from './slim-reads.ts';
import { FIRST, PAIRS, START, type Step, UINT64_MAX } from './slim-stories.ts';
import { checkReads, checkRights, checkTokens, Witness } from './slim-witness.ts';

/** A moment of a story, in which everything is read: after that many steps. */
const momentsOf = (steps: readonly Step[]) => new Set([Math.ceil(steps.length / 2), steps.length]);

const errorNameIn = (data: Hex): string => {
  try {
    return decodeErrorResult({ abi: SLIM.abi, data }).errorName;
  } catch {
    return data;
  }
};

export interface Contracts {
  readonly slim: Address;
  /** Undefined: only the invariants are checked. */
  readonly old: Address | undefined;
}

/**
 * Runs a story on both contracts. Returns the differences that occurred. Throws if the slim contract breaks an invariant, or differs from
 * 0.8.0 in another point.
 */
export async function checkStory(ask: Ask, { slim, old }: Contracts, steps: readonly Step[]): Promise<Difference[]> {
  const seen: Difference[] = [];
  const moments = momentsOf(steps);
  const calls: Timed[] = [];
  const at: { step: number; read: number | undefined }[] = [];
  let time = START;
  const times = steps.map(({ after }) => (time += after));
  const reads = [...PLAIN_READS, ...PAIRS.flatMap((pair) => readsOf(newIdOf(pair)))];
  for (const [index, step] of steps.entries()) {
    const call = {
      from: step.by,
      to: slim,
      data: dataOf(step, newIdOf),
      ...(step.value && { value: numberToHex(step.value) }),
    };
    calls.push({ time: times[index] as number, call });
    const isRead = moments.has(index + 1);
    at.push({ step: calls.length - 1, read: isRead ? calls.length : undefined });
    if (isRead) calls.push(readCall(times[index] as number, slim, reads));
  }
  const results = await simulate(ask, calls);
  const plan = new OldPlan(old);
  const witness = new Witness();
  const compared: (() => void)[] = [];
  for (const [index, step] of steps.entries()) {
    const { step: position, read } = at[index] as (typeof at)[number];
    const result = results[position] as Result;
    const fail = (why: string): never => {
      const story = steps.slice(0, index + 1).map(({ by, name, args, token }) => [by.slice(-2), name, token, args]);
      const text = JSON.stringify(story, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      throw new Error(`step ${index + 1}, ${step.name}: ${why}\n${text}`);
    };
    try {
      const justified = justify(step, result, witness);
      if (justified) seen.push(justified);
      const before = new Map(witness.tokens);
      for (const log of result.logs) witness.record(log, step);
      if (old)
        compared.push(...plan.add(step, times[index] as number, result, { before, witness, justified, seen, fail }));
    } catch (fault) {
      fail((fault as Error).message);
    }
    if (read === undefined) continue;
    const answers = answersIn(results[read] as Result);
    checkTokens(answers, witness, fail);
    checkReads(answers.slice(PLAIN_READS.length), witness, times[index] as number, fail);
    checkRights(answers, witness, fail);
    if (old) compared.push(plan.addReads(times[index] as number, answers, fail));
  }
  if (old) {
    await plan.run(ask);
    for (const compare of compared) compare();
  }
  return seen;
}

/** Returns the difference for which the slim contract alone reverts. Throws if it has no reason, or does not revert with a reason. */
function justify(step: Step, { status, returnData }: Result, witness: Witness): Difference | undefined {
  if (status === '0x1') {
    if (step.isRefused) throw new Error('it is not refused');
    return undefined;
  }
  const name = errorNameIn(returnData);
  const expects = (holds: boolean, difference: Difference) => {
    if (!holds) throw new Error(`it reverts with ${name}`);
    return difference;
  };
  const hasHugeNumber = step.args.some(
    (each) => typeof each === 'bigint' && each > UINT64_MAX && each !== FIRST && each !== FIRST + 1n,
  );
  if (name === 'SlimGateway__TokenExists') {
    const id = tokenIdOf(step.args[0] as Address, step.args[1] as bigint);
    return expects(
      step.name === 'mint' && witness.tokens.has(id) && BigInt(`0x${returnData.slice(10)}`) === id,
      'a second mint',
    );
  }
  if (name === 'SlimGateway__ExpirationTooLarge') return expects(hasHugeNumber, 'an expiration above 2^64 - 1');
  if (name === 'GatewayToken__EmptyNetworkName') return expects(step.args[1] === '', 'an empty name');
  if (name === 'SlimGateway__NotSupported')
    return expects(step.isRefused === true, 'a charge, value, flags, a DAO or a lacking function');
  return undefined;
}
