import { parseSolanaAddress } from '../../network/wallet.ts';
import { COMMON_ERRORS, type ErrorTable } from '../rpc-answer.ts';

/** The errors of Solana's nodes. The codes are those of Agave (`rpc-client-api/src/custom_error.rs`), unless it says otherwise. */
export const SOLANA_ERRORS: ErrorTable = [
  // The error of a simulated transaction.
  { kind: 'execution', isShownBy: (data) => Boolean(Object(data).err) },
  COMMON_ERRORS.malformed,
  // -32005: the node is behind or unhealthy. 429 and 15: providers.
  { kind: 'rate-limit', codes: [429, -32005, 15] },
  { kind: 'no-history', codes: [-32011] },
  COMMON_ERRORS.batch,
  COMMON_ERRORS.unknownCall,
  // -32004: the block is not available. -32010: the list of accounts is too long. -32015: the transaction has a higher version than the
  // service asked for, so the chain has it, and the service cannot read it.
  { kind: 'lacking', codes: [-32004, -32010, -32015] },
  COMMON_ERRORS.rateLimit,
  { kind: 'lacking', text: /block (is )?not (found|available)/i },
  COMMON_ERRORS.unknownMethod,
];

/** The calls of a Solana node. docs/operators/configuration.md has the same table, with the replacement of each call. */

interface CallForm {
  /** Whether the service continues without it. Otherwise an error of any kind is no answer, and the next endpoint is asked. */
  readonly isOptional?: true;
  /** Whether the result has the fields that the service reads. Any other result is no answer. */
  isResult(result: unknown, params: readonly unknown[]): boolean;
}

const isNumber = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const isText = (value: unknown) => typeof value === 'string' && value.length > 0;
const isListOf = (isItem: (item: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every((item) => isItem(item));
const orNull = (isItem: (item: unknown) => boolean) => (value: unknown) => value === null || isItem(value);

/** Returns whether the result has the slot of its block and such a value. */
const inContext =
  (isValue: (value: unknown, params: readonly unknown[]) => boolean) =>
  (result: unknown, params: readonly unknown[]): boolean => {
    const { context, value } = Object(result);
    return isNumber(Object(context).slot) && isValue(value, params);
  };

/** One item, or null, for each key of the first parameter. */
const oneForEach = (isItem: (item: unknown) => boolean) =>
  inContext(
    (value, [keys]) => isListOf(orNull(isItem))(value) && (value as []).length === (keys as readonly unknown[]).length,
  );

const isAccount = (value: unknown) => {
  const { owner, lamports, data } = Object(value);
  return isText(owner) && isNumber(lamports) && Array.isArray(data) && typeof data[0] === 'string';
};
const isStatus = (value: unknown) => {
  const { slot, confirmationStatus, err } = Object(value);
  return isNumber(slot) && isText(confirmationStatus) && err !== undefined;
};
const isLifetime = (value: unknown) => {
  const { blockhash, lastValidBlockHeight } = Object(value);
  return parseSolanaAddress(blockhash) !== undefined && isNumber(lastValidBlockHeight);
};
const isListed = (value: unknown) => {
  const { signature, slot, err } = Object(value);
  return isText(signature) && isNumber(slot) && err !== undefined;
};

export const CALLS: Readonly<Record<string, CallForm>> = {
  getGenesisHash: { isResult: isText },
  getLatestBlockhash: { isResult: inContext(isLifetime) },
  getMultipleAccounts: { isResult: oneForEach(isAccount) },
  simulateTransaction: {
    isOptional: true,
    isResult: inContext((value) => Object(value).err !== undefined),
  },
  sendTransaction: { isResult: isText },
  getSignatureStatuses: {
    isOptional: true,
    isResult: oneForEach(isStatus),
  },
  getTransaction: {
    isOptional: true,
    isResult: orNull((value) => isNumber(Object(value).slot)),
  },
  getEpochInfo: {
    isOptional: true,
    isResult: (result) => isNumber(Object(result).absoluteSlot) && isNumber(Object(result).blockHeight),
  },
  isBlockhashValid: {
    isOptional: true,
    isResult: inContext((value) => typeof value === 'boolean'),
  },
  getRecentPrioritizationFees: {
    isOptional: true,
    isResult: isListOf((item) => isNumber(Object(item).prioritizationFee)),
  },
  getMinimumBalanceForRentExemption: {
    isOptional: true,
    isResult: Number.isInteger,
  },
  getAccountInfo: { isResult: inContext(orNull(isAccount)) },
  getSlot: { isResult: isNumber },
  getSignaturesForAddress: { isResult: isListOf(isListed) },
  getFirstAvailableBlock: { isResult: isNumber },
};
