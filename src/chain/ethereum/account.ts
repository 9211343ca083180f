import type { Account } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import { nonceCalls, readNonces } from './network-conditions.ts';

/** What the gatekeeper has, in wei, and where its nonces stand. */
export async function account({ rpc: send, account }: Ethereum): Promise<Account> {
  const [balance, ...nonces] = await send([rpc.balance(account), ...nonceCalls(account)]);
  return { balance: rpc.quantityOf(balance), nonces: readNonces(nonces) };
}
