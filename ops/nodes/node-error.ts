import { KmsFault, RpcFault } from '../../src/chain/port.ts';
import { describeReason } from '../../src/pass/wait-reasons.ts';
import { Failure } from '../../terminal/failure.ts';

/**
 * Whether a node refuses the query itself, for example because its answer is too long. The refusal of a call and most HTTP statuses
 * have no code. 408 and 429 concern other queries too.
 */
export const refusesQuery = ({ message }: RpcFault): boolean => /the call was refused|HTTP 4(?!08|29)/.test(message);

/** Returns the nodes' own message from the Worker's error "no endpoint answered". */
export function nodeErrorIn({ message }: RpcFault): string {
  return message.replace(/^no endpoint answered: /, '');
}

/** Returns a line about a fault on one network. A malformed answer causes any error, and must not hide the other networks. */
export function describeFault(fault: unknown): string {
  if (fault instanceof Failure) return fault.message;
  if (fault instanceof RpcFault) return `the nodes do not answer (${nodeErrorIn(fault)})`;
  if (fault instanceof KmsFault) return describeReason({ code: fault.code, detail: fault.message });
  return `unexpected answer of a node (${fault})`;
}
