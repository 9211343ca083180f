import type { LocalFacts } from '../../../ops/nodes/local-facts.ts';
import type { Chain } from '../../../src/network/network.ts';
import type { KmsFacts } from '../kms/credentials.ts';
import type { SeededPartner } from '../oauth/partners.ts';

/** The content of `.dev/localnet.json`: addresses, credentials and process ids of a running localnet. URLs end without a slash. */
export interface LocalnetFacts extends LocalFacts {
  readonly issuer: string;
  readonly tokenUrl: string;
  readonly jwksUrl: string;
  readonly audience: string;
  readonly partners: readonly SeededPartner[];
  readonly operator: NonNullable<LocalFacts['operator']>;
  /** JSON-RPC URL of each network's node. */
  readonly rpc: Readonly<Record<string, string>>;
  readonly gatewayToken: Readonly<Record<string, string>>;
  /** Addresses of the keys that issue the passes. */
  readonly gatekeeper: Readonly<Record<Chain, string>>;
  /** The key management service that has the Worker's keys; absent if the Worker has keys of its own. */
  readonly kms?: KmsFacts;
  /** Process ids; `oauth` is the command that started the localnet. */
  readonly pids: Readonly<Record<string, number>>;
}
