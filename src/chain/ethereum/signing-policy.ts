import type { EnabledEthereum } from '../../config/signers.ts';
import type { Hex } from '../../lib/bytes.ts';
import { TEST_SLOT } from '../../network/slot.ts';
import { isEthereumAddress } from '../../network/wallet.ts';
import { decodeCall } from './abi.ts';
import { changeData, mintData } from './gateway.ts';
import type { EthereumTransaction } from './transaction-bytes.ts';

/**
 * Returns why a transaction must not be signed, or undefined for the two allowed kinds: a call of the step's contract that the
 * service makes, and an empty transfer to the own account, which is for no step. The check runs at the point of signing, independent of earlier
 * checks, and guarantees that:
 * - a key signs nothing else
 * - no token is issued in slot 1 of a mainnet
 * - no gas costs more than the network's `maxGas` at `maxFeePerGas`
 * - no tip is above `maxTipPerGas`
 *
 * Pure.
 * @param contract The contract of the step; undefined: the transaction is for no step.
 */
export function findPolicyViolation(
  transaction: EthereumTransaction,
  { chainId, fees, maxFeePerGas: cap, maxTipPerGas, maxGas, testnet }: EnabledEthereum['network'],
  account: string,
  contract: string | undefined,
): string | undefined {
  const { to, data, gas, nonce, chainId: chain, type, ...price } = transaction;
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas: tip = 0n, ...others } = price;
  const fee = type === 'legacy' ? gasPrice : maxFeePerGas;
  if (chain !== chainId) return 'it is for another chain';
  if (type !== (fees === 'legacy' ? 'legacy' : 'eip1559')) return "its type is not the network's";
  if (Object.keys(others).length > 0) return 'it has fields that a call does not need';
  if (!Number.isSafeInteger(nonce) || Number(nonce) < 0) return 'its nonce is not a whole number';
  if (gas === undefined || gas <= 0n) return 'its gas limit is missing or not positive (eth_estimateGas)';
  if (gas > BigInt(maxGas)) return `its gas limit is above maxGas: ${gas} (eth_estimateGas)`;
  if (fee === undefined || fee > BigInt(cap)) return 'its fee is missing or above maxFeePerGas';
  if (tip < 0n || tip > fee) return 'its tip is negative or above its fee';
  if (tip > BigInt(maxTipPerGas)) return 'its tip is above maxTipPerGas';
  if (contract === undefined) return data === undefined && to === account ? undefined : 'it is for no step';
  if (!isEthereumAddress(contract)) return 'the contract of its step is no address';
  if (to?.toLowerCase() !== contract.toLowerCase()) return 'it is not for the contract of its step';
  if (data === undefined || data.toLowerCase() !== encodeAgain(data)) return 'it is not a call that the service makes';
  return !testnet && mintsInTestSlot(data) ? 'it issues in slot 1 of a mainnet, which is for tests' : undefined;
}

function mintsInTestSlot(data: Hex): boolean {
  const call = decodeCall(data);
  return call?.functionName === 'mint' && call.args[1] === TEST_SLOT;
}

/** Returns the data of the same call as the service encodes it, or undefined if the service makes no such call. */
function encodeAgain(data: Hex): string | undefined {
  try {
    const call = decodeCall(data);
    switch (call?.functionName) {
      case 'mint':
        return mintData(call.args[0], call.args[1], Number(call.args[2])).toLowerCase();
      case 'setExpiration':
        return changeData({ kind: 'set-expiry', expiry: Number(call.args[1]) }, call.args[0]);
      case 'freeze':
      case 'unfreeze':
      case 'revoke':
        return changeData({ kind: call.functionName, expiry: undefined }, call.args[0]);
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}
