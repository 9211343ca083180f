import type { Hex, TransactionSerializable } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import type { EnabledEthereum } from '../../config/signers.ts';
import { type Call, type ChainPort, type Signed, SigningRefused, type Terms } from '../port.ts';
import type { Price } from './price.ts';
import { findPolicyViolation } from './signing-policy.ts';

/** A call as it goes from the look to the signer. */
export interface EthereumCall {
  readonly data: Hex;
  /** The most it may take. */
  readonly gas: bigint;
}

/** Signs calls of the configured contract, and nothing else. */
export function signer(account: PrivateKeyAccount, network: EnabledEthereum['network']): ChainPort['sign'] {
  return async (call: Call, { fees }: Terms, nonce: number | undefined): Promise<Signed> => {
    if (nonce === undefined) throw new Error('an Ethereum transaction needs a nonce');
    const { data, gas } = call as EthereumCall;
    const price = { fee: BigInt(fees.fee ?? 0), tip: BigInt(fees.tip ?? 0) };
    return signTransaction(account, network, { to: network.gateway, data, gas, nonce }, price);
  };
}

/** What a transaction does, whatever it is paid. */
export interface UnsignedTransaction {
  readonly to: Hex;
  readonly data?: Hex | undefined;
  readonly gas: bigint;
  readonly nonce: number;
}

/** Signs a transaction that moves no value; throws Forbidden for what the service does not do. */
export async function signTransaction(
  account: PrivateKeyAccount,
  network: EnabledEthereum['network'],
  deed: UnsignedTransaction,
  { fee, tip }: Price,
): Promise<Signed> {
  const { chainId, fees } = network;
  const transaction: TransactionSerializable =
    fees === 'legacy'
      ? { ...deed, chainId, type: 'legacy', gasPrice: fee }
      : { ...deed, chainId, type: 'eip1559', maxFeePerGas: fee, maxPriorityFeePerGas: tip };
  const forbidden = findPolicyViolation(transaction, network, account.address);
  if (forbidden !== undefined) throw new SigningRefused(forbidden);
  const bytes = await account.signTransaction(transaction);
  return { identifier: keccak256(bytes), bytes };
}
