import type { ChainPort } from '../chain/port.ts';
import type { Network } from '../network/network.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { StepStatus } from '../pass/step.ts';
import type { Lanes } from './lanes.ts';
import type { Spending } from './spending.ts';
import type { SuspendedClients } from './suspended-clients.ts';

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
  readonly spending: Spending;
  readonly suspended: SuspendedClients;
  /** Steps that the next run withdraws if nothing is signed for them yet, and their status then. In memory only. */
  readonly withdrawals: Map<string, StepStatus>;
}
