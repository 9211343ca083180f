import type { PrepareResult } from '../port.ts';
import type { RpcAnswer } from '../rpc-answer.ts';
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

/** What the error of a call says of its step. Only the contract's own word refuses: nodes fail for many reasons. */
export function resultOfError(answer: RpcAnswer | undefined): PrepareResult {
  const data = answer && revertData(answer);
  const name = data && revertName(data);
  if (!name) return { type: 'not-now', why: 'the call could not be tried', blocks: 'step' };
  const unauthorized = UNAUTHORIZED[name];
  if (unauthorized !== undefined) return { type: 'not-now', why: unauthorized, blocks: 'gatekeeper-network' };
  if (OVERTAKEN.includes(name)) return { type: 'not-now', why: 'the token has changed meanwhile', blocks: 'step' };
  return { type: 'refused', reason: `the contract refuses it: ${name}` };
}
