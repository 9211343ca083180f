import type { Hex, TransactionSerializable } from 'viem';
import { keccak256 } from 'viem/utils';
import type { EnabledEthereum } from '../../config/signers.ts';
import { type Signed, SigningRefused } from '../port.ts';
import { nanoCoinsOfWei } from '../units.ts';
import type { Ethereum } from './context.ts';
import type { Price } from './price.ts';
import { findPolicyViolation } from './signing-policy.ts';

/** A call of the configured contract. */
export interface ContractCall {
  readonly data: Hex;
  /** Gas limit. */
  readonly gas: bigint;
}

/** Signs a call of the configured contract. Throws SigningRefused if the signing policy does not allow it. */
export async function signCall(
  { gatekeeper, network }: Pick<Ethereum, 'gatekeeper' | 'network'>,
  { data, gas }: ContractCall,
  price: Price,
  nonce: number | undefined,
): Promise<Signed> {
  if (nonce === undefined) throw new Error('an Ethereum transaction needs a nonce');
  return signTransaction(gatekeeper, network, { to: network.gateway, data, gas, nonce }, price);
}

/** A transaction without its price. */
export interface UnsignedTransaction {
  readonly to: Hex;
  readonly data?: Hex | undefined;
  readonly gas: bigint;
  readonly nonce: number;
}

/** Signs a transaction that moves no value. Throws SigningRefused if the signing policy does not allow it. */
export async function signTransaction(
  gatekeeper: Ethereum['gatekeeper'],
  network: EnabledEthereum['network'],
  unsigned: UnsignedTransaction,
  { fee, tip, l1Fee = 0n }: Price,
): Promise<Signed> {
  const { chainId, fees } = network;
  const transaction: TransactionSerializable =
    fees === 'legacy'
      ? { ...unsigned, chainId, type: 'legacy', gasPrice: fee }
      : { ...unsigned, chainId, type: 'eip1559', maxFeePerGas: fee, maxPriorityFeePerGas: tip };
  const violation = findPolicyViolation(transaction, network, gatekeeper.address);
  if (violation !== undefined) throw new SigningRefused(violation);
  const bytes = await gatekeeper.signTransaction(transaction);
  return { identifier: keccak256(bytes), bytes, maxCost: nanoCoinsOfWei(unsigned.gas * fee + l1Fee) };
}
