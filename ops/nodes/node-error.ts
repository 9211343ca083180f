import { Failure } from '../../scripts/failure.ts';
import { RpcFault } from '../../src/chain/port.ts';

/** Returns the nodes' own message from the Worker's error "no endpoint answered". */
export function nodeErrorIn({ message }: RpcFault): string {
  return message.replace(/^no endpoint answered: /, '');
}

/** Returns a line about a fault on one network. A malformed answer causes any error, and must not hide the other networks. */
export function describeFault(fault: unknown): string {
  if (fault instanceof Failure) return fault.message;
  if (fault instanceof RpcFault) return `the nodes do not answer (${nodeErrorIn(fault)})`;
  return `unexpected answer of a node (${fault})`;
}
