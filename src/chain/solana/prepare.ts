import { type Blockhash, getBase64Decoder, getBase64EncodedWireTransaction, type Instruction } from '@solana/kit';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
import { mayBeBehind } from '../block-age.ts';
import { distrustIfBehind, needsFinalTokens, planStep } from '../plan-step.ts';
import type { Lifetime, Prepared, PrepareRequest, PrepareResult, Rent } from '../port.ts';
import { notNow, refused } from '../reasons.ts';
import type { MicroLamports } from '../units.ts';
import { change, issue, resultOfError } from './gateway.ts';
import { feeOf, type NetworkConditions, raisePrice, readConditions } from './network-conditions.ts';
import { asOfAtMost, demandRecent, findHolders, type Holder, type Holdings, readTokens } from './owned-tokens.ts';
import { RefusedCall, type Solana } from './rpc.ts';
import { findCallViolation, type ProgramCall, signCall, transactionOf } from './transaction.ts';

/** A request whose gatekeeper network is a public key, with the addresses that it needs. */
interface LocatedStep extends Holder, PrepareRequest {}

/**
 * Reads the tokens of all wallets at once, and the finalized tokens for steps that need them. Then it reads the network's
 * conditions and simulates the calls. A fault of one step does not delay the others.
 */
export async function prepare<R extends PrepareRequest>(
  chain: Solana,
  requests: readonly R[],
  unmined: number,
): Promise<Prepared<R>> {
  const requested = findHolders(chain, requests, ({ step }) => step.key).map(
    ([request, holder]) =>
      [request, holder && { ...holder, step: request.step, noncesGivenUp: request.noncesGivenUp }] as const,
  );
  const located = requested.flatMap(([, each]): LocatedStep[] => (each === undefined ? [] : [each]));
  const written = located.flatMap(({ addresses: [first] }) => first?.address ?? []);
  const [now, conditions] = await Promise.all([
    readTokens(chain, located, 'confirmed'),
    readConditions(chain, written),
  ]);
  const { newest, slot } = conditions;
  demandRecent(newest, 'getLatestBlockhash', slot);
  for (const held of now.values()) if ('tokens' in held) demandRecent(newest, 'getMultipleAccounts', held.asOf);
  const doubtful = located.filter((each) => needsFinalTokens(each.step, now.get(each)));
  const final = await readTokens(chain, doubtful, 'finalized');
  const plans = new Map(
    located.map((each) => {
      const [held, heldFinal] = [now, final].map((all) => asOfAtMost(all.get(each), newest.height));
      // With the blockhash of an older call, the same call would be the same transaction and would count as done.
      const isOld = slot < (each.step.known?.asOf ?? 0);
      if (isOld) return [each, notNow('state-behind')];
      const unitPrice = raisePrice(conditions.unitPrice, each.noncesGivenUp ?? 0, chain.network);
      return [each, planCall(each, held, heldFinal, unitPrice)];
    }),
  );
  const planned = [...plans.values()].filter((plan) => 'instruction' in plan);
  const simulated = await simulateCalls(chain, selectAffordable(chain, planned, conditions, unmined), conditions);
  const isBehind = mayBeBehind(chain.send, newest, Date.now());
  const resultOf = (plan: PrepareResult | PlannedCall): PrepareResult =>
    distrustIfBehind('instruction' in plan ? (simulated.get(plan) ?? notNow('no-funds')) : plan, isBehind);
  return {
    lifetime: lifetimeIn(conditions),
    results: requested.map(([request, each]) => [
      request,
      resultOf((each && plans.get(each)) ?? notNow('no-gatekeeper-network')),
    ]),
  };
}

type Shown = Holdings | PrepareResult | undefined;

function planCall(
  { step, wallet, acting }: LocatedStep,
  now: Shown,
  final: Shown,
  unitPrice: MicroLamports,
): PrepareResult | PlannedCall {
  const plan = planStep(step, now, final);
  if (plan === 'issue') {
    const free = now && 'free' in now ? now.free : undefined;
    if (free === undefined) return refused('addresses-occupied');
    const expectedOnChain = { state: 'ACTIVE', expiry: step.expiry } as const;
    return { step, unitPrice, instruction: issue(acting, wallet, free, step.expiry), expectedOnChain };
  }
  if (!('change' in plan)) return plan;
  const instruction = change(acting, plan.change.id, step);
  if (instruction === undefined) return refused('expiry-not-clearable');
  return { step, unitPrice, instruction, expectedOnChain: plan.expectedOnChain };
}

/** An instruction that fulfills a step. */
export interface PlannedCall {
  readonly step: Step;
  readonly instruction: Instruction;
  readonly unitPrice: MicroLamports;
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

/** Returns the rent of the account that the call creates. */
const rentOfCall = ({ step }: PlannedCall, { tokenRent }: NetworkConditions): Rent | undefined =>
  step.kind === 'issue' ? tokenRent : undefined;

/**
 * Selects, in order, the calls that the gatekeeper can pay for together, because a simulation considers only its own call.
 * @param unmined Number of transactions whose cost the balance does not show yet.
 */
function selectAffordable(
  { network }: Pick<Solana, 'network'>,
  planned: readonly PlannedCall[],
  conditions: NetworkConditions,
  unmined: number,
): PlannedCall[] {
  const { unitPrice, tokenRent, funds } = conditions;
  const units = simulationUnits(network);
  let left = funds - BigInt(unmined) * (feeOf(unitPrice, units) + BigInt(tokenRent.shown));
  return planned.filter((call) => {
    const cost = feeOf(call.unitPrice, units) + BigInt(rentOfCall(call, conditions)?.shown ?? 0);
    if (cost > left) return false;
    left -= cost;
    return true;
  });
}

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
  const { instruction, expectedOnChain, unitPrice } = planned;
  const limit = simulationUnits(chain.network);
  const transaction = transactionOf(instruction, chain.gatekeeper, { ...conditions, unitPrice }, limit);
  const wire = getBase64EncodedWireTransaction(transaction);
  const simulated = await chain.rpc
    .simulateTransaction(wire, OPTIONS)
    .send()
    .catch((fault: unknown) => {
      if (fault instanceof RefusedCall) return fault;
      throw fault;
    });
  if (simulated instanceof RefusedCall) return notNow('not-simulated', simulated.message);
  const { context, value } = simulated;
  if (value.err !== null) {
    // This answer may come from an endpoint that is far behind the one whose clock was read.
    const isBehind = !(Number(context.slot) >= conditions.slot);
    return distrustIfBehind(resultOfError(value.err, value.logs ?? []), isBehind);
  }
  const units = addUnitsMargin(unitsIn(value.unitsConsumed, limit));
  const call: ProgramCall = { instruction, units };
  const rent = rentOfCall(planned, conditions);
  const maxCost = Number(feeOf(unitPrice, units)) + (rent?.highest ?? 0);
  return {
    type: 'ready',
    call: formatInstruction(instruction),
    expectedOnChain,
    maxCost,
    rent,
    findViolation: () => findCallViolation(chain, call, { ...conditions, unitPrice }),
    async sign(_, lifetime = lifetimeIn(conditions)) {
      const { blockhash, lastValidBlockHeight } = lifetime;
      const chosen = { blockhash: blockhash as Blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight) };
      return { ...(await signCall(chain, call, { unitPrice, lifetime: chosen })), maxCost };
    },
  };
}

function lifetimeIn({ lifetime: { blockhash, lastValidBlockHeight }, newest }: NetworkConditions): Lifetime {
  return { blockhash, lastValidBlockHeight: Number(lastValidBlockHeight), time: newest.time };
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
