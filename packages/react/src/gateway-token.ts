import type { PassSnapshot } from './pass-watch.ts';
import type { TokenState } from './reader.ts';

/** A public key as pages use that of Civic's package for Solana. */
export interface PublicKeyLike {
  toBase58(): string;
  toString(): string;
}

/** The wallet's gateway token, with the fields of both of Civic's packages. Public keys are texts. */
export interface GatewayToken {
  readonly gatekeeperNetworkAddress: string;
  readonly owner: string;
  readonly state: Exclude<TokenState, 'NONE'>;
  /** The id of the token on an Ethereum-type network. Absent with `verifyReader`. */
  readonly identifier?: string;
  /** The address of the token on Solana. Absent with `verifyReader`. */
  readonly publicKey?: PublicKeyLike;
  /** The gatekeeper that issued it. Only with `kitReader`. */
  readonly issuingGatekeeper?: PublicKeyLike;
  /** The last second of the token (Unix). Absent: it never expires. */
  readonly expiryTime?: number;
}

const publicKeyOf = (text: string): PublicKeyLike => ({ toBase58: () => text, toString: () => text });

/** Returns the token in the snapshot of this wallet; undefined if it has none, or nobody knows. */
export function gatewayTokenOf(
  { reading }: PassSnapshot,
  owner: string,
  gatekeeperNetworkAddress: string,
): GatewayToken | undefined {
  if (reading === undefined || reading.state === 'NONE') return undefined;
  const { state, token, issuer, expiry } = reading;
  return {
    gatekeeperNetworkAddress,
    owner,
    state,
    ...(token !== undefined && (issuer === undefined ? { identifier: token } : { publicKey: publicKeyOf(token) })),
    ...(issuer !== undefined && { issuingGatekeeper: publicKeyOf(issuer) }),
    ...(expiry !== undefined && { expiryTime: expiry }),
  };
}
