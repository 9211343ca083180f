import { getBase64EncodedWireTransaction, type Instruction } from '@solana/kit';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import type { Finding, Terms } from '../port.ts';
import type { Solana } from './adapter.ts';
import { feeOf, type Moment } from './network-conditions.ts';
import { refusalOf } from './refusal.ts';
import type { SolanaCall } from './sign.ts';
import { transactionOf } from './transaction.ts';

/** An instruction that brings about what a step aims at. */
export interface Attempt {
  readonly step: Step;
  readonly instruction: Instruction;
  /** What the chain holds once it has succeeded. */
  readonly leaves: OnChain;
}

/** What a trial may take; what it took bounds the transaction. */
const TRIAL_UNITS = 200_000;
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
export function affordable(
  attempts: readonly Attempt[],
  { terms, funds, tokenRent }: Moment,
  unmined: number,
): Attempt[] {
  const fee = feeOf(terms, TRIAL_UNITS);
  let left = funds - BigInt(unmined) * (fee + tokenRent);
  return attempts.filter(({ step }) => {
    const cost = step.kind === 'issue' ? fee + tokenRent : fee;
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** Runs every instruction without sending it; what came of it, by step id. */
export async function tryCalls(
  { rpc, gatekeeper }: Solana,
  attempts: readonly Attempt[],
  terms: Terms,
): Promise<Map<string, Finding>> {
  const answers = await Promise.all(
    attempts.map(({ instruction }) => {
      const transaction = transactionOf(instruction, gatekeeper, terms, TRIAL_UNITS);
      return rpc.simulateTransaction(getBase64EncodedWireTransaction(transaction), OPTIONS).send();
    }),
  );
  return new Map(
    attempts.map(({ step, instruction, leaves }, index) => {
      const { err, logs, unitsConsumed } = answers[index]?.value ?? {};
      if (err !== null) return [step.id, refusalOf(err, logs ?? [])];
      const call: SolanaCall = { instruction, units: withMargin(Number(unitsConsumed ?? TRIAL_UNITS)) };
      return [step.id, { is: 'ready', call, leaves }];
    }),
  );
}

function withMargin(units: number): number {
  return Math.ceil((units * (100 + UNITS_MARGIN)) / 100);
}
