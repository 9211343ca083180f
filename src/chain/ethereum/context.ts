import type { PrivateKeyAccount } from 'viem/accounts';
import type { EnabledEthereum } from '../../config/signers.ts';
import type { JsonRpc } from '../json-rpc.ts';

/** The context of the adapter's functions: one network and one gatekeeper key. */
export interface Ethereum {
  readonly rpc: JsonRpc;
  readonly network: EnabledEthereum['network'];
  /** Signs, and pays the fees. */
  readonly gatekeeper: Pick<PrivateKeyAccount, 'address' | 'signTransaction'>;
  /** Returns the slot, or undefined if the key is not a gatekeeper network. */
  readonly slot: (gatekeeperNetwork: string) => bigint | undefined;
}
