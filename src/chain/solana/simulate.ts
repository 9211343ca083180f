import { getBase64Decoder, getBase64EncodedWireTransaction, type Instruction } from '@solana/kit';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import { distrustIfBehind } from '../plan-step.ts';
import type { PrepareResult } from '../port.ts';
import { notNow } from '../reasons.ts';
import type { Lamports } from '../units.ts';
import type { Solana } from './context.ts';
import type { NetworkConditions } from './network-conditions.ts';
import { feeOf } from './price.ts';
import { resultOfError } from './refusal.ts';
import { RefusedCall } from './rpc.ts';
import { type ProgramCall, signCall, transactionOf } from './transaction.ts';

/** An instruction that fulfills a step. */
export interface PlannedCall {
  readonly step: Step;
  readonly instruction: Instruction;
  /** On-chain state after the call. */
  readonly expectedOnChain: OnChain;
}

/** Added to the compute units that the simulation used. The sum is the transaction's limit. */
const UNITS_MARGIN_PERCENT = 20;
const OPTIONS = {
  encoding: 'base64',
  commitment: 'confirmed',
  sigVerify: false,
  replaceRecentBlockhash: true,
} as const;

/** Returns the limit of compute units in a simulation, so that with the margin the transaction stays within `maxUnits`. */
function simulationUnits({ maxUnits }: Solana['network']): number {
  return Math.floor((maxUnits * 100) / (100 + UNITS_MARGIN_PERCENT));
}

/** Returns the maximum cost of a transaction for the gatekeeper. */
function costOf({ step }: PlannedCall, units: number, { unitPrice, tokenRent }: NetworkConditions): Lamports {
  return feeOf(unitPrice, units) + (step.kind === 'issue' ? tokenRent : 0n);
}

/**
 * Selects, in order, the calls that the gatekeeper can pay for together, because a simulation considers only its own call.
 * @param unmined Number of transactions whose cost the balance does not show yet.
 */
export function selectAffordable(
  { network }: Pick<Solana, 'network'>,
  planned: readonly PlannedCall[],
  conditions: NetworkConditions,
  unmined: number,
): PlannedCall[] {
  const { unitPrice, tokenRent, funds } = conditions;
  const units = simulationUnits(network);
  let left = funds - BigInt(unmined) * (feeOf(unitPrice, units) + tokenRent);
  return planned.filter((call) => {
    const cost = costOf(call, units, conditions);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

/** Simulates every instruction. */
export async function simulateCalls(
  chain: Solana,
  planned: readonly PlannedCall[],
  conditions: NetworkConditions,
): Promise<ReadonlyMap<PlannedCall, PrepareResult>> {
  const results = await Promise.all(
    planned.map(async (call) => [call, await simulateCall(chain, call, conditions)] as const),
  );
  return new Map(results);
}

async function simulateCall(
  chain: Solana,
  planned: PlannedCall,
  conditions: NetworkConditions,
): Promise<PrepareResult> {
  const { instruction, expectedOnChain } = planned;
  const limit = simulationUnits(chain.network);
  const transaction = transactionOf(instruction, chain.gatekeeper, conditions, limit);
  const wire = getBase64EncodedWireTransaction(transaction);
  const simulated = await chain.rpc
    .simulateTransaction(wire, OPTIONS)
    .send()
    .catch((fault: unknown) => {
      if (!(fault instanceof RefusedCall)) throw fault;
    });
  if (simulated === undefined) return notNow('not-simulated');
  const { context, value } = simulated;
  if (value.err !== null) {
    // This answer may come from an endpoint that is far behind the one whose clock was read.
    const isBehind = !(Number(context.slot) >= conditions.slot);
    return distrustIfBehind(resultOfError(value.err, value.logs ?? []), isBehind);
  }
  const units = addUnitsMargin(unitsIn(value.unitsConsumed, limit));
  const call: ProgramCall = { instruction, units };
  const maxCost = Number(costOf(planned, units, conditions));
  return {
    type: 'ready',
    call: formatInstruction(instruction),
    expectedOnChain,
    maxCost,
    lastValidBlockHeight: Number(conditions.lifetime.lastValidBlockHeight),
    sign: async () => ({ ...(await signCall(chain, call, conditions)), maxCost }),
  };
}

/** Returns the instruction as text, without the values that depend on the endpoint: price, units and lifetime. */
function formatInstruction({ programAddress, accounts = [], data = new Uint8Array() }: Instruction): string {
  return [programAddress, ...accounts.map(({ address }) => address), getBase64Decoder().decode(data)].join(' ');
}

/** Returns the consumed units, or the limit if the node's number is impossible. */
function unitsIn(consumed: bigint | undefined, limit: number): number {
  return consumed !== undefined && consumed > 0n && consumed <= limit ? Number(consumed) : limit;
}

function addUnitsMargin(units: number): number {
  return Math.ceil((units * (100 + UNITS_MARGIN_PERCENT)) / 100);
}
