import type { Hex } from 'viem';
import type { WaitCode } from '../../pass/wait-reasons.ts';
import type { PrepareResult } from '../port.ts';
import { notNow, refused } from '../reasons.ts';
import type { RpcAnswer, RpcError } from '../rpc-answer.ts';
import { revertName } from './gateway.ts';
import { revertData } from './rpc.ts';

/** The contract's errors by name or text. */
const ERRORS: ReadonlyMap<string, WaitCode | 'contract-refuses'> = new Map([
  // The network's authority can correct these; the request is valid.
  ['Common__Unauthorized', 'not-authorized'],
  ['GatewayToken__NetworkDoesNotExist', 'network-missing'],
  // The token changed or was burned since the read. The next `prepare` reads it again.
  ['GatewayToken__TokenInvalidStateForOperation', 'token-changed'],
  ['GatewayToken__TokenDoesNotExistOrIsInactive', 'token-changed'],
  ['GatewayToken__TokenDoesNotExist', 'token-changed'],
  ['ERC3525: invalid token ID', 'token-changed'],
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
  const data = answer && revertData(answer);
  if (answer === undefined || !('error' in answer) || data === undefined) return notNow('not-simulated');
  const name = revertName(data) ?? '';
  const code = ERRORS.get(name);
  if (code === undefined) return notNow('unknown-contract-error', describeRevert(data, name, answer.error));
  return code === 'contract-refuses' ? refused(code, name) : notNow(code);
}

/** Returns the error's selector with its text or name, or the node's message if there is no selector. It may quote arguments. */
function describeRevert(data: Hex, name: string, { message }: RpcError): string {
  return data.length < 10 ? message : `${data.slice(0, 10)} ${name}`.trim();
}
