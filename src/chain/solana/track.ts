import type { Signature } from '@solana/kit';
import { HOUR_MS } from '../../lib/units.ts';
import { representativeToken } from '../../pass/adopt.ts';
import { isSatisfied } from '../../pass/step.ts';
import { type InclusionStatus, type InFlightTransaction, type Pairs, RpcFault } from '../port.ts';
import { type FinalChain, LIFETIME_MAX_BLOCKS, readFinalChain } from './network-conditions.ts';
import { findHolders, readTokens } from './owned-tokens.ts';
import { ifAnswered, readStatuses, type Solana, type SolanaRpc } from './rpc.ts';
import { TRANSACTION_FORM } from './wire-transaction.ts';

/** Maximum number of transactions that one run looks up: nodes look them up one after another in a slow store. */
const LOOKUPS_MAX = 32;
/**
 * A confirmed slot that is further ahead of the final chain is wrong. The pass would wait until the chain gets there. A block is final
 * after 32 slots, however long they are. The rest allows for nodes at different slots behind one URL: 40 s of the shortest slots.
 */
const SLOTS_MAX_AHEAD = 300;
/** No transaction lives longer. If its stored height is further away, the endpoint that named the height lied. */
const LIFETIME_MAX_MS = HOUR_MS;

/** A block that includes a transaction. */
interface Seen {
  readonly identifier: string;
  readonly slot: number;
  readonly isFinal: boolean;
  readonly err: unknown;
}

/**
 * Reads the statuses of all transactions in one request. A status may be missing, or stay "processed" for good. So once the final
 * chain must include a transaction or never can, the transaction itself counts, and without it the wallet's tokens on the final
 * chain: no bytes of the step can change them.
 */
export async function track<T extends InFlightTransaction>(
  chain: Solana,
  transactions: readonly T[],
): Promise<Pairs<T, InclusionStatus>> {
  const { rpc } = chain;
  const identifiers = transactions.flatMap((transaction) => transaction.identifiers);
  const [epoch, recent] = await Promise.all([
    ifAnswered(rpc.getEpochInfo({ commitment: 'finalized' }).send()),
    ifAnswered(readStatuses(rpc, identifiers, false)),
  ]);
  const final = await readFinalChain(chain, epoch, recent?.slot).catch(ignoreFault);
  const end = (final?.slot ?? Number.POSITIVE_INFINITY) + SLOTS_MAX_AHEAD;
  const statuses = [...(recent?.statuses ?? [])].map(([identifier, { slot, confirmationStatus, err }]) => {
    return { identifier, slot: Number(slot), at: confirmationStatus, isFinal: confirmationStatus === 'finalized', err };
  });
  const included = statuses.filter(({ slot, at }) => (at === 'confirmed' || at === 'finalized') && slot <= end);
  const seen = new Map(included.map((each) => [each.identifier, each]));
  const rooted = new Set(statuses.flatMap(({ identifier, slot }) => (slot <= (final?.slot ?? 0) ? identifier : [])));
  const open = transactions.filter((each) => seenIn(seen, each) === undefined);
  const isDue = (each: T) => isDecided(each, final) || each.identifiers.some((identifier) => rooted.has(identifier));
  const due = open.filter(isDue).slice(0, LOOKUPS_MAX);
  const found = await findTransactions(rpc, due, final);
  const lost = due.filter((each) => isDecided(each, final) && seenIn(found, each) === undefined);
  const effects = await readEffects(chain, lost, final);
  return transactions.map((each) => {
    const shown = seenIn(seen, each) ?? seenIn(found, each);
    if (shown !== undefined) return [each, inclusionOf(each, shown)];
    return [each, lost.includes(each) && final ? conclude(chain, each, final, effects.get(each)) : absent(each)];
  });
}

const absent = ({ includedIn }: InFlightTransaction): InclusionStatus => ({
  type: includedIn === undefined ? 'unconfirmed' : 'still-included',
});

function seenIn(all: ReadonlyMap<string, Seen>, { identifiers }: InFlightTransaction): Seen | undefined {
  return identifiers.map((identifier) => all.get(identifier)).findLast((each) => each !== undefined);
}

/** Whether the final chain must include the transaction by now, or never can. */
function isDecided(
  { includedIn, lastValidBlockHeight, signedAtMs }: InFlightTransaction,
  final: FinalChain | undefined,
): boolean {
  if (final === undefined) return false;
  if (includedIn !== undefined) return final.slot >= includedIn.block;
  if (lastValidBlockHeight === undefined) return false;
  const isOld = Date.now() - signedAtMs > LIFETIME_MAX_MS;
  const end = BigInt(lastValidBlockHeight);
  return final.height > end || (isOld && end > final.height + LIFETIME_MAX_BLOCKS);
}

/** Looks transactions up on the final chain. The map lacks those that the node does not show. */
async function findTransactions(
  rpc: SolanaRpc,
  transactions: readonly InFlightTransaction[],
  final: FinalChain | undefined,
): Promise<ReadonlyMap<string, Seen>> {
  const form = { commitment: 'finalized', ...TRANSACTION_FORM } as const;
  const identifiers = transactions.flatMap((transaction) => transaction.identifiers);
  const found = await Promise.all(
    identifiers.map(async (identifier): Promise<Seen | undefined> => {
      const shown = await ifAnswered(rpc.getTransaction(identifier as Signature, form).send());
      // Without a result, nobody knows whether it had an effect.
      const err = shown?.meta?.err;
      const isKnown = shown != null && err !== undefined && Number(shown.slot) <= (final?.slot ?? 0);
      return isKnown ? { identifier, slot: Number(shown.slot), isFinal: true, err } : undefined;
    }),
  );
  return new Map(found.flatMap((each) => (each === undefined ? [] : [[each.identifier, each]])));
}

/** Reads whether the final chain shows the effect of these steps. The map lacks the steps whose tokens the node does not show. */
async function readEffects<T extends InFlightTransaction>(
  chain: Solana,
  transactions: readonly T[],
  final: FinalChain | undefined,
): Promise<ReadonlyMap<T, boolean>> {
  const located = findHolders(chain, transactions, ({ step }) => step.key);
  const holders = located.flatMap(([, holder]) => holder ?? []);
  const tokens = await readTokens(chain, holders, 'finalized').catch(ignoreFault);
  return new Map(
    located.flatMap(([transaction, holder]): [T, boolean][] => {
      const owned = holder && tokens?.get(holder);
      if (owned === undefined || !('tokens' in owned) || owned.asOf < (final?.slot ?? 0)) return [];
      const token = representativeToken(owned.tokens, transaction.step.known);
      return [[transaction, isSatisfied(transaction.step, token ?? { state: 'NONE' })]];
    }),
  );
}

/** Another call, or another endpoint, may still answer. */
function ignoreFault(fault: unknown): undefined {
  if (!(fault instanceof RpcFault)) throw fault;
}

/** Returns the status of a transaction that the node does not show although its time is over. */
function conclude(
  { isOnly }: Solana,
  { includedIn }: InFlightTransaction,
  { slot }: FinalChain,
  hasEffect: boolean | undefined,
): InclusionStatus {
  if (includedIn === undefined) {
    // The next preparation reads the tokens as of that slot or later, so the step ends as found if it had its effect.
    return hasEffect && !isOnly ? WITHHELD : { type: 'expired', asOf: slot };
  }
  if (hasEffect === undefined) return WITHHELD;
  return { type: hasEffect ? 'final' : 'unconfirmed' };
}

/** Another endpoint's status counts. */
const WITHHELD: InclusionStatus = {
  type: 'unknown',
  why: 'getSignatureStatuses and getTransaction do not show it',
};

/** Returns the status of a transaction that a block includes. */
function inclusionOf({ includedIn }: InFlightTransaction, { identifier, slot, isFinal, err }: Seen): InclusionStatus {
  // An error without an execution counts too (SIMD-0290): the bytes cannot run in a later block of the same fork. If the step were signed
  // again before this block is final, both transactions could take effect after a fork.
  if (err !== null) return isFinal ? { type: 'without-effect', identifier } : { type: 'unconfirmed' };
  if (includedIn?.block === slot) return { type: isFinal ? 'final' : 'still-included' };
  return { type: 'confirmed', identifier, includedIn: { block: slot } };
}
