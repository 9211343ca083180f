import type { ChainPort } from '../chain/port.ts';
import type { Network } from '../network/network.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { StepStatus } from '../pass/step.ts';
import type { Lanes } from './lanes.ts';
import type { Spending } from './spending.ts';
import type { SuspendedClients } from './suspended-clients.ts';

/** The parts of a signer object, as its functions receive them. */
export interface Signer {
  /** Name of the signer object, for logs. */
  readonly name: SignerName;
  readonly storage: DurableObjectStorage;
  readonly network: Network;
  readonly chain: ChainPort;
  /** Whether its key is compromised. Then it only tracks and rebroadcasts its signed transactions, and signs nothing. */
  readonly isCompromised?: boolean | undefined;
  readonly lanes: Lanes;
  readonly spending: Spending;
  readonly suspended: SuspendedClients;
  /** Steps that the next run ends if they are unsigned, with the status that they get. In memory only. */
  readonly withdrawals: Map<string, StepStatus>;
}
