import type { EnabledEthereum } from '../../config/signers.ts';
import type { Hex } from '../../lib/hex.ts';
import type { JsonRpc } from '../json-rpc.ts';
import type { SigningKey } from '../signing/signing-key.ts';

/** The context of the adapter's functions: one network and one gatekeeper key. */
export interface Ethereum {
  readonly rpc: JsonRpc;
  readonly network: EnabledEthereum['network'];
  /** Signs, and pays the fees. */
  readonly gatekeeper: SigningKey & { readonly address: Hex };
  /** Returns the slot, or undefined if the key is not a gatekeeper network. */
  readonly slot: (gatekeeperNetwork: string) => bigint | undefined;
}
