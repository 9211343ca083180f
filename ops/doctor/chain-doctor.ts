import type { Identity } from '../../src/chain/json-rpc.ts';
import type { EnabledNetwork } from '../../src/config/signers.ts';
import type { Verdict } from './check.ts';
import type { Endpoint } from './endpoint.ts';

/** What a kind of chain is asked for: each has one of these. Whatever finds no node throws RpcFault. */
export interface ChainDoctor {
  readonly identity: Identity;
  /** The Unix second of the newest block of an endpoint that has all that the Worker asks for; else what is wrong. */
  probeEndpoint(endpoint: Endpoint): Promise<{ readonly newest: number } | Verdict>;
  /** Whether the contract or the program is there. */
  checkGateway(): Promise<Verdict>;
  /** What only one of all endpoints has to have; undefined: there is nothing such. */
  checkHistory?(): Promise<Verdict>;
  /** Whether the key may issue for these gatekeeper networks, as far as the chain says without a trial; in order. */
  readRegistrations(signer: EnabledNetwork, gatekeeperNetworks: readonly string[]): Promise<(boolean | undefined)[]>;
  /** How a key is made a gatekeeper. */
  registrationHint(signer: EnabledNetwork, gatekeeperNetwork: string): string;
  /** Whether nodes take as many transactions of the key as the service sends; undefined: there is nothing to check. */
  checkAccount?(signer: EnabledNetwork): Promise<Verdict>;
  /** What a key can spend, in the chain's smallest unit. */
  readFunds(signer: EnabledNetwork): Promise<bigint>;
  /** An amount, for people. */
  formatAmount(smallest: bigint): string;
  /** A wallet that nobody has. */
  unusedWallet(): string;
}
