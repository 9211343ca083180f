import type { PrivateKeyAccount } from 'viem/accounts';
import type { RpcAnswer } from '../json-rpc.ts';
import { mayBeBehind } from '../plan-step.ts';
import type { Ethereum } from './adapter.ts';
import * as rpc from './calls.ts';
import { conditionCalls, readConditions } from './network-conditions.ts';
import { signTransaction } from './sign.ts';
import { addGasMargin } from './simulate.ts';

/** A transfer takes that much, but on chains that charge for their data on another one too. */
const TRANSFER_GAS = 21_000n;

/**
 * Sends nothing to ourselves at each of these nonces. What the node says of it does not matter: that it has such a
 * transaction, or that the nonce is used up by now, is as good. Nothing is sent on the word of a node that may be
 * behind its chain: what it does not show may be there.
 */
export async function fillNonceGaps(
  { rpc: send, network, account }: Ethereum,
  signer: PrivateKeyAccount,
  nonces: readonly number[],
): Promise<void> {
  if (nonces.length === 0) return;
  const transfer = { from: account, to: account, value: '0x0' };
  const [estimate, ...answers] = await send([rpc.estimateGas(transfer), ...conditionCalls(account)]);
  const { price, time } = readConditions(answers, network);
  if (mayBeBehind(time, Date.now())) return;
  const gas = gasOf(estimate);
  const to = signer.address;
  const signed = await Promise.all(nonces.map((nonce) => signTransaction(signer, network, { to, gas, nonce }, price)));
  await send(signed.map(({ bytes }) => rpc.sendRaw(bytes)));
}

function gasOf(estimate: RpcAnswer | undefined): bigint {
  if (estimate === undefined || 'error' in estimate) return TRANSFER_GAS;
  const gas = rpc.quantityOf(estimate);
  return gas === TRANSFER_GAS ? gas : addGasMargin(gas);
}
