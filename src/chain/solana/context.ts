import type { Address } from '@solana/kit';
import type { EnabledSolana } from '../../config/signers.ts';
import type { JsonRpc } from '../json-rpc.ts';
import type { SigningKey } from '../signing/signing-key.ts';
import type { SolanaRpc } from './rpc.ts';

/** The context of the adapter's functions: one network and one gatekeeper key. */
export interface Solana {
  readonly send: JsonRpc;
  /** Whether the network has no other endpoint. */
  readonly isOnly: boolean;
  /** Typed reads over `send`. */
  readonly rpc: SolanaRpc;
  readonly network: EnabledSolana['network'];
  readonly program: Address;
  /** Signs, and pays fees and rent. */
  readonly gatekeeper: Address;
  readonly key: SigningKey;
}
