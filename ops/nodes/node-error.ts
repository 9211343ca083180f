import type { RpcFault } from '../../src/chain/port.ts';

/** Returns the nodes' own message from the Worker's error "no endpoint answered". */
export function nodeErrorIn({ message }: RpcFault): string {
  return message.replace(/^no endpoint answered: /, '');
}
