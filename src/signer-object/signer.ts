import type { ChainPort } from '../chain/port.ts';
import type { Network } from '../network/networks.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Lanes } from './lanes.ts';

/** What the parts of a signer object work with. */
export interface Signer {
  /** Name of the signer object, for logs. */
  readonly name: SignerName;
  readonly storage: DurableObjectStorage;
  readonly network: Network;
  readonly chain: ChainPort;
  /** Whether its key is compromised: then it tracks what it has signed, sends the same bytes again, and signs nothing. */
  readonly isCompromised?: boolean | undefined;
  readonly lanes: Lanes;
  /** Steps that are to be withdrawn if nothing is signed for them yet; in memory only, their passes ask again. */
  readonly superseded: Set<string>;
  /** Issuances that the operator abandons, and that are to end if nothing is signed for them yet; in memory only. */
  readonly abandoned: Set<string>;
}
