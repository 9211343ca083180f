import { getBase64EncodedWireTransaction, type Instruction } from '@solana/kit';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import type { PrepareResult, Terms } from '../port.ts';
import type { Solana } from './adapter.ts';
import { feeOf, type NetworkConditions } from './network-conditions.ts';
import { resultOfError } from './refusal.ts';
import type { SolanaCall } from './sign.ts';
import { transactionOf } from './transaction.ts';

/** An instruction that brings about what a step aims at. */
export interface PlannedCall {
  readonly step: Step;
  readonly instruction: Instruction;
  /** What the chain holds once it has succeeded. */
  readonly expectedOnChain: OnChain;
}

/** What a trial may take; what it took bounds the transaction. */
const SIMULATION_MAX_UNITS = 200_000;
/** Added to what the trial took, in percent. */
const UNITS_MARGIN = 20;
const OPTIONS = {
  encoding: 'base64',
  commitment: 'confirmed',
  sigVerify: false,
  replaceRecentBlockhash: true,
} as const;

/**
 * Those, in order, that the gatekeeper can pay for all together: each trial is alone.
 * @param unmined Transactions on their way: what they cost still shows among the funds.
 */
export function selectAffordable(
  attempts: readonly PlannedCall[],
  { terms, funds, tokenRent }: NetworkConditions,
  unmined: number,
): PlannedCall[] {
  const fee = feeOf(terms, SIMULATION_MAX_UNITS);
  let left = funds - BigInt(unmined) * (fee + tokenRent);
  return attempts.filter(({ step }) => {
    const cost = step.kind === 'issue' ? fee + tokenRent : fee;
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** Runs every instruction without sending it; what came of it, by step id. */
export async function simulateCalls(
  { rpc, gatekeeper }: Solana,
  attempts: readonly PlannedCall[],
  terms: Terms,
): Promise<Map<string, PrepareResult>> {
  const answers = await Promise.all(
    attempts.map(({ instruction }) => {
      const transaction = transactionOf(instruction, gatekeeper, terms, SIMULATION_MAX_UNITS);
      return rpc.simulateTransaction(getBase64EncodedWireTransaction(transaction), OPTIONS).send();
    }),
  );
  return new Map(
    attempts.map(({ step, instruction, expectedOnChain }, index) => {
      const { err, logs, unitsConsumed } = answers[index]?.value ?? {};
      if (err !== null) return [step.id, resultOfError(err, logs ?? [])];
      const call: SolanaCall = { instruction, units: addUnitsMargin(Number(unitsConsumed ?? SIMULATION_MAX_UNITS)) };
      return [step.id, { type: 'ready', call, expectedOnChain }];
    }),
  );
}

function addUnitsMargin(units: number): number {
  return Math.ceil((units * (100 + UNITS_MARGIN)) / 100);
}
