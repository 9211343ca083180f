import type { Hex } from 'viem';
import { unknownError } from '../plan-step.ts';
import type { PrepareResult } from '../port.ts';
import type { RpcAnswer, RpcError } from '../rpc-answer.ts';
import { revertName } from './gateway.ts';
import { revertData } from './rpc.ts';

/** What keeps a whole gatekeeper network waiting: its authority can mend it, the partner's request is right. */
const UNAUTHORIZED: Readonly<Record<string, string>> = {
  Common__Unauthorized: 'the gatekeeper is not authorized on the gatekeeper network',
  GatewayToken__NetworkDoesNotExist: 'the gatekeeper network does not exist on this chain',
};

/** The token is not as it was a moment ago, or is gone: the next look will tell. */
const OVERTAKEN: readonly string[] = [
  'GatewayToken__TokenInvalidStateForOperation',
  'GatewayToken__TokenDoesNotExistOrIsInactive',
  'GatewayToken__TokenDoesNotExist',
  'ERC3525: invalid token ID',
];

/** Texts of the contract for what it never does, under any roles, settings and tokens. */
const NEVER: readonly string[] = ['ERC3525: mint to the zero address', 'ERC3525: balance query for the zero address'];

/**
 * What the error of a call says of its step. Only the contract's own word refuses: nodes fail for many reasons. An error
 * that the service does not know refuses nothing either: an operator can grant a missing role, or unpause the contract.
 */
export function resultOfError(answer: RpcAnswer | undefined): PrepareResult {
  const data = answer && revertData(answer);
  if (answer === undefined || !('error' in answer) || data === undefined) return UNTRIED;
  const name = revertName(data) ?? '';
  const unauthorized = UNAUTHORIZED[name];
  if (unauthorized !== undefined) return { type: 'not-now', why: unauthorized, blocks: 'gatekeeper-network' };
  if (OVERTAKEN.includes(name)) return { type: 'not-now', why: 'the token has changed meanwhile', blocks: 'step' };
  if (NEVER.includes(name)) return { type: 'refused', reason: `the contract refuses it: ${name}` };
  return unknownError(describeRevert(data, name, answer.error));
}

const UNTRIED: PrepareResult = { type: 'not-now', why: 'the call could not be tried', blocks: 'step' };

/** Returns the error's selector and its text or name, or, without a selector, the node's message. That may quote arguments. */
function describeRevert(data: Hex, name: string, { message }: RpcError): string {
  return data.length < 10 ? message : `${data.slice(0, 10)} ${name}`.trim();
}
