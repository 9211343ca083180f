import type { PrivateKeyAccount } from 'viem/accounts';
import type { EnabledEthereum } from '../../config/signers.ts';
import type { JsonRpc } from '../json-rpc.ts';

/** What the parts of the adapter work with: one network, and one gatekeeper key. */
export interface Ethereum {
  readonly rpc: JsonRpc;
  readonly network: EnabledEthereum['network'];
  /** Signs, and pays the fees. */
  readonly gatekeeper: Pick<PrivateKeyAccount, 'address' | 'signTransaction'>;
  /** Returns undefined for what is no gatekeeper network. */
  readonly slot: (gatekeeperNetwork: string) => bigint | undefined;
}
