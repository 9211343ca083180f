import type { Hex } from 'viem';
import type { RpcError } from '../error-kind.ts';
import { UNTRIED, unknownError } from '../plan-step.ts';
import type { PrepareResult } from '../port.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
import { revertName } from './gateway.ts';
import { revertData } from './rpc.ts';

/** Errors that make all steps of a gatekeeper network wait. The network's authority can correct them; the request is valid. */
const UNAUTHORIZED: Readonly<Record<string, string>> = {
  Common__Unauthorized: 'the gatekeeper is not authorized on the gatekeeper network',
  GatewayToken__NetworkDoesNotExist: 'the gatekeeper network does not exist on this chain',
};

/** The token changed or was burned since the read. The next `prepare` reads it again. */
const OVERTAKEN: readonly string[] = [
  'GatewayToken__TokenInvalidStateForOperation',
  'GatewayToken__TokenDoesNotExistOrIsInactive',
  'GatewayToken__TokenDoesNotExist',
  'ERC3525: invalid token ID',
];

/** Errors of the contract that no change of roles, settings or tokens can remove. */
const NEVER: readonly string[] = ['ERC3525: mint to the zero address', 'ERC3525: balance query for the zero address'];

/**
 * Returns the result of a step from the error of its call. Only the contract's own error refuses a step, because nodes fail for
 * many reasons. An error that the service does not know does not refuse it either: somebody may grant a missing role or unpause
 * the contract.
 */
export function resultOfError(answer: RpcAnswer | undefined): PrepareResult {
  const data = answer && revertData(answer);
  if (answer === undefined || !('error' in answer) || data === undefined) return UNTRIED;
  const name = revertName(data) ?? '';
  const unauthorized = UNAUTHORIZED[name];
  if (unauthorized !== undefined) return { type: 'not-now', why: unauthorized, blocks: 'gatekeeper-network' };
  if (OVERTAKEN.includes(name)) return { type: 'not-now', why: 'the token changed since it was read', blocks: 'step' };
  if (NEVER.includes(name)) return { type: 'refused', reason: `the contract refuses it: ${name}` };
  return unknownError(describeRevert(data, name, answer.error));
}

/** Returns the error's selector with its text or name, or the node's message if there is no selector. It may quote arguments. */
function describeRevert(data: Hex, name: string, { message }: RpcError): string {
  return data.length < 10 ? message : `${data.slice(0, 10)} ${name}`.trim();
}
