import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { parseTransaction } from 'viem/utils';
import { mayBeBehind } from '../plan-step.ts';
import { type Signed, SigningRefused } from '../port.ts';
import type { Ethereum } from './adapter.ts';
import * as calls from './calls.ts';
import { conditionCalls, readConditions } from './network-conditions.ts';
import { type Price, replacementPrice } from './price.ts';
import { signTransaction, type UnsignedTransaction } from './sign.ts';

/**
 * The same calls at the same nonces for an eighth more, or for the price of the moment. None while no blocks are made, or
 * the node does not show them, and none that the gatekeeper cannot pay for together with those before: then the price is
 * not what they wait for, and would rise for nothing.
 */
export async function replaceTransactions(
  { rpc, network, account }: Ethereum,
  signer: PrivateKeyAccount,
  signed: readonly Signed[],
): Promise<(Signed | undefined)[]> {
  const [balance, ...answers] = await rpc([calls.balance(account), ...conditionCalls(account)]);
  const { price, time } = readConditions(answers, network);
  if (mayBeBehind(time, Date.now())) return signed.map(() => undefined);
  let left = calls.quantityOf(balance);
  return Promise.all(
    signed.map(async ({ bytes }) => {
      const old = parseSigned(bytes);
      // Bytes of an earlier configuration may speak to another contract: nothing new is signed for that.
      if (old?.deed.to.toLowerCase() !== network.gateway.toLowerCase()) return undefined;
      const raised = replacementPrice(old.price, price, network);
      left -= old.deed.gas * (raised ?? old.price).fee;
      return raised && left >= 0n ? signTransaction(signer, network, old.deed, raised).catch(keepOnRefusal) : undefined;
    }),
  );
}

/** Bytes of an earlier release may do what is not done any more: that keeps no other transaction back. */
function keepOnRefusal(fault: unknown): undefined {
  if (!(fault instanceof SigningRefused)) throw fault;
}

/** What signed bytes do, and what they pay; undefined for what `signTransaction` does not sign. */
function parseSigned(bytes: string): { deed: UnsignedTransaction; price: Price } | undefined {
  const { to, data, gas, nonce = 0, value, gasPrice, ...rest } = parseTransaction(bytes as Hex);
  const { maxFeePerGas: fee = gasPrice, maxPriorityFeePerGas: tip = gasPrice ?? 0n } = rest;
  if (!to || gas === undefined || fee === undefined || value) return undefined;
  return { deed: { to, data, gas, nonce }, price: { fee, tip } };
}
