import type { Identity } from '../../src/chain/json-rpc.ts';
import type { EnabledNetwork } from '../../src/config/signers.ts';
import type { Verdict } from './check.ts';
import type { LocatedNetwork } from './databases.ts';
import type { Endpoint } from './endpoint.ts';

/** The checks of one kind of chain. Every method that reaches no node throws RpcFault. */
export interface ChainDoctor {
  readonly identity: Identity;
  /** Returns the Unix second of the endpoint's newest block, or a verdict if it cannot answer what the Worker asks. */
  probeEndpoint(endpoint: Endpoint): Promise<{ readonly newest: number } | Verdict>;
  /** Checks whether that contract, or on Solana the program, exists. */
  checkGateway(contract: string): Promise<Verdict>;
  /** Compares facts of the network's data with the chain, by the name of the fact. */
  readonly facts: Readonly<Record<string, () => Promise<Verdict>>>;
  /** Checks whether the gas of a call leaves room below the network's maximum; undefined: the chain has no gas. */
  checkGas?(signer: EnabledNetwork, call: { readonly contract: string; readonly data: string }): Promise<Verdict>;
  /** Checks the transaction history, which only one of the endpoints must have; undefined: the chain needs none. */
  checkHistory?(): Promise<Verdict>;
  /** Returns, in order, whether the key may issue for each gatekeeper network; undefined: only a simulation can tell. */
  readRegistrations(signer: EnabledNetwork, gatekeeperNetworks: readonly string[]): Promise<(boolean | undefined)[]>;
  /** Whether the gatekeeper network exists in its contract. */
  exists(located: LocatedNetwork): Promise<boolean>;
  /** Checks whether nodes accept as many transactions of the key as the service sends; undefined: nothing to check. */
  checkAccount?(signer: EnabledNetwork): Promise<Verdict>;
  /** Returns the amount that a key can spend, in the chain's smallest unit. */
  readFunds(signer: EnabledNetwork): Promise<bigint>;
  /** Returns a short readable amount with its unit. */
  formatAmount(smallest: bigint): string;
}
