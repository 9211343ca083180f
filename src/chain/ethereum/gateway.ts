import type { Hex } from '../../lib/bytes.ts';
import { checksumAddress } from '../../network/wallet.ts';
import type { Step } from '../../pass/step.ts';
import type { Task } from '../../pass/step-kinds.ts';
import { MAX_TIMESTAMP } from '../../pass/vocabulary.ts';
import type { WaitCode } from '../../pass/wait-reasons.ts';
import { redactContractText } from '../json-rpc-batch.ts';
import { TOKEN_STATES, type Token } from '../plan-step.ts';
import type { PrepareResult } from '../port.ts';
import { notNow, refused } from '../reasons.ts';
import { describeError, type RpcAnswer, type RpcError } from '../rpc-answer.ts';
import { decodeError, decodeLog, decodeResults, encodeCall } from './abi.ts';
import { isOutOfGas, revertData } from './rpc.ts';

/** Translates between the terms of the service and the contract's calls, answers, events and errors. */

const NOBODY = '0x0000000000000000000000000000000000000000';
const NO_CHARGE = {
  value: 0n,
  chargeType: 0,
  token: NOBODY,
  tokenSender: NOBODY,
  recipient: NOBODY,
} as const;

/** A token with its owner and the slot of its gatekeeper network. */
export interface EthereumToken extends Token {
  readonly id: bigint;
  readonly owner: string;
  readonly slot: bigint;
}

export const mintData = (wallet: string, slot: bigint, expiry: number | undefined): Hex =>
  encodeCall('mint', [wallet as Hex, slot, BigInt(expiry ?? 0), 0n, NO_CHARGE]);

/** Returns the call that applies the task to a token. */
export function changeData({ kind, expiry }: Task, tokenId: bigint): Hex {
  if (kind === 'issue') throw new Error('an issuance changes no token');
  if (kind === 'set-expiry') return encodeCall('setExpiration', [tokenId, BigInt(expiry ?? 0), NO_CHARGE]);
  return encodeCall(kind, [tokenId]);
}

export const tokenIdsData = (wallet: string, slot: bigint): Hex =>
  encodeCall('getTokenIdsByOwnerAndNetwork', [wallet as Hex, slot, false]);

export const tokenData = (tokenId: bigint): Hex => encodeCall('getToken', [tokenId]);

export const slotData = (tokenId: bigint): Hex => encodeCall('slotOf', [tokenId]);

/** Returns the ids in an answer to `tokenIdsData`. Like `readToken`, it throws if the data is not such an answer. */
export function readTokenIds(data: Hex): readonly bigint[] {
  return decodeResults('getTokenIdsByOwnerAndNetwork', data)[0];
}

/** Returns a token from the answers to `tokenData` and `slotData`. */
export function readToken(id: bigint, data: Hex, slotAnswer: Hex): EthereumToken {
  const [owner, state, , expiration] = decodeResults('getToken', data);
  const [slot] = decodeResults('slotOf', slotAnswer);
  const name = TOKEN_STATES[state];
  if (name === undefined) throw new Error(`the contract answered an unknown token state ${state}`);
  // Some gatekeepers encode "never" as the largest number.
  const never = expiration === 0n || expiration > BigInt(MAX_TIMESTAMP);
  return { id, owner, slot, state: name, expiry: never ? undefined : Number(expiration) };
}

export interface Log {
  readonly address: string;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** Whether the logs contain an event of the step's own contract for this step. Only the event proves the effect. */
export function showsEffect(step: Step, slot: bigint | undefined, logs: readonly Log[]): boolean {
  const { kind, expiry = 0, key, contract } = step;
  const events = logs.filter(({ address }) => address.toLowerCase() === contract.toLowerCase()).flatMap(readEvent);
  if (kind === 'set-expiry')
    return events.some((each) => each.eventName === 'Expiration' && each.args.timestamp === BigInt(expiry));
  if (kind !== 'issue') return events.some(({ eventName }) => eventName === EVENT_OF[kind]);
  const minted = events.flatMap((each) =>
    each.eventName === 'Transfer' && each.args.from === NOBODY && each.args.to === checksumAddress(key.wallet)
      ? [each.args.tokenId]
      : [],
  );
  return events.some(
    (each) => each.eventName === 'SlotChanged' && each.args.newSlot === slot && minted.includes(each.args.tokenId),
  );
}

/** A transaction of the service makes one call for one token, so the event's name is sufficient. */
const EVENT_OF = { freeze: 'Freeze', unfreeze: 'Unfreeze', revoke: 'Revoke' } as const;

function readEvent({ topics, data }: Log) {
  try {
    // The contract also emits events that the service ignores.
    return decodeLog(topics, data) ?? [];
  } catch {
    return [];
  }
}

/** Returns the name of the contract's error in the data of a revert, or the text of a string revert. */
export function revertName(data: Hex): string | undefined {
  try {
    const error = decodeError(data);
    return error?.name === 'Error' ? redactContractText(String(error.args[0])) : error?.name;
  } catch {
    return undefined;
  }
}

const UNKNOWN_TOKEN = 'ERC3525: invalid token ID';
/** The call was executed and failed, and the node omits the data of the revert. */
const NO_DATA = '0x';

/** Whether the contract reverted because it knows no such token. A revert without data counts too. */
export function isUnknownToken(answer: RpcAnswer | undefined): boolean {
  const data = answer && revertData(answer);
  return data !== undefined && (data === NO_DATA || revertName(data) === UNKNOWN_TOKEN);
}

/** The contract's errors by name or text. */
const ERRORS: ReadonlyMap<string, WaitCode | 'contract-refuses'> = new Map([
  // The network's authority can correct these; the request is valid.
  ['Common__Unauthorized', 'not-authorized'],
  ['GatewayToken__NetworkDoesNotExist', 'network-missing'],
  // The token changed or was burned since the read. The next `prepare` reads it again.
  ['GatewayToken__TokenInvalidStateForOperation', 'token-changed'],
  ['GatewayToken__TokenDoesNotExistOrIsInactive', 'token-changed'],
  ['GatewayToken__TokenDoesNotExist', 'token-changed'],
  [UNKNOWN_TOKEN, 'token-changed'],
  ['SlimGateway__TokenExists', 'token-changed'],
  // No change of roles, settings or tokens can remove these.
  ['ERC3525: mint to the zero address', 'contract-refuses'],
  ['ERC3525: balance query for the zero address', 'contract-refuses'],
]);

/**
 * Returns the result of a step from the error of its call. Only the contract's own error refuses a step, because nodes fail for
 * many reasons. An error that the service does not know does not refuse it either: somebody may grant a missing role or unpause
 * the contract.
 */
export function resultOfError(answer: RpcAnswer | undefined): PrepareResult {
  if (answer === undefined || !('error' in answer)) return notNow('not-simulated');
  if (isOutOfGas(answer)) return notNow('out-of-gas', describeError(answer.error));
  const data = revertData(answer);
  if (data === undefined) return notNow('not-simulated', describeError(answer.error));
  const name = revertName(data) ?? '';
  const code = ERRORS.get(name);
  if (code === undefined) return notNow('unknown-contract-error', describeRevert(data, name, answer.error));
  return code === 'contract-refuses' ? refused(code, name) : notNow(code);
}

/** Returns the error's selector with its text or name, or the node's message if there is no selector. It may quote arguments. */
function describeRevert(data: Hex, name: string, { message }: RpcError): string {
  return data.length < 10 ? message : `${data.slice(0, 10)} ${name}`.trim();
}
