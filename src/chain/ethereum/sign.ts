import type { Hex } from 'viem';
import type { PrivateKeyAccount } from 'viem/accounts';
import { keccak256 } from 'viem/utils';
import type { EnabledEthereum } from '../../config/enabled.ts';
import type { Call, ChainPort, Signed, Terms } from '../port.ts';

/** A call as it goes from the look to the signer. */
export interface EthereumCall {
  readonly data: Hex;
  /** The most it may take. */
  readonly gas: bigint;
}

/** Signs calls of the configured contract, and nothing else. */
export function signer(account: PrivateKeyAccount, network: EnabledEthereum['network']): ChainPort['sign'] {
  return async (call: Call, terms: Terms, nonce: number | undefined): Promise<Signed> => {
    if (nonce === undefined) throw new Error('an Ethereum transaction needs a nonce');
    const { data, gas } = call as EthereumCall;
    const common = { to: network.gateway, chainId: network.chainId, data, gas, nonce };
    const { gasPrice = 0, maxFeePerGas = 0, maxPriorityFeePerGas = 0 } = terms.fees;
    const bytes = await account.signTransaction(
      network.fees === 'legacy'
        ? { ...common, type: 'legacy', gasPrice: BigInt(gasPrice) }
        : {
            ...common,
            type: 'eip1559',
            maxFeePerGas: BigInt(maxFeePerGas),
            maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas),
          },
    );
    return { identifier: keccak256(bytes), bytes };
  };
}
