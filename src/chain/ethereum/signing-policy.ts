import type { Hex, TransactionSerializable } from 'viem';
import type { EnabledEthereum } from '../../config/signers.ts';
import { TEST_SLOT } from '../../network/slot.ts';
import { changeData, mintData } from './gateway.ts';
import { decodeCall } from './selectors.ts';

/**
 * Why a transaction must not be signed; undefined for the two kinds that the service has: one of its calls of the configured
 * contract, and nothing at all to itself. Checked at the point of signing, whatever was checked before: a key signs nothing
 * else, nothing enters slot 1 of a mainnet, no gas costs more than the network's `maxGas` at `maxFeePerGas`, and no tip is above
 * `maxTipPerGas`. Pure.
 */
export function findPolicyViolation(
  transaction: TransactionSerializable,
  { chainId, gateway, fees, maxFeePerGas: cap, maxTipPerGas, maxGas, testnet }: EnabledEthereum['network'],
  account: string,
): string | undefined {
  const { to, data, gas, nonce, chainId: chain, type, ...price } = transaction;
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas: tip = 0n, ...others } = price;
  const fee = type === 'legacy' ? gasPrice : maxFeePerGas;
  if (chain !== chainId) return 'it is for another chain';
  if (type !== (fees === 'legacy' ? 'legacy' : 'eip1559')) return 'it is of another type';
  if (Object.keys(others).length > 0) return 'it does more than a call';
  if (!Number.isSafeInteger(nonce) || Number(nonce) < 0) return 'its nonce is no whole number';
  if (gas === undefined || gas <= 0n) return 'it may use no gas';
  if (gas > BigInt(maxGas)) return `it may use more gas than maxGas: ${gas}`;
  if (fee === undefined || fee > BigInt(cap)) return 'its fee is missing, or above maxFeePerGas';
  if (tip < 0n || tip > fee) return 'its tip is negative, or above its fee';
  if (tip > BigInt(maxTipPerGas)) return 'its tip is above maxTipPerGas';
  if (data === undefined && to === account) return undefined;
  if (to?.toLowerCase() !== gateway.toLowerCase()) return 'it is to somebody else';
  if (data === undefined || data.toLowerCase() !== encodeAgain(data)) return 'it is no call of the service';
  return !testnet && mintsInTestSlot(data) ? 'it issues in slot 1 of a mainnet, which is for tests' : undefined;
}

function mintsInTestSlot(data: Hex): boolean {
  const call = decodeCall(data);
  return call?.functionName === 'mint' && call.args[1] === TEST_SLOT;
}

/** The call as this service makes it, with the meaning of that data; undefined for what it does not make. */
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
