import { type Address, getAddressDecoder, getAddressEncoder } from '@solana/kit';

/** Bytes of a gateway token's account. The real program allocates all of them, also without an expiry. */
export const GATEWAY_TOKEN_SIZE = 109;

export const GatewayTokenState = { Active: 0, Frozen: 1, Revoked: 2 } as const;

/** A gateway token in its account (borsh). The two obsolete options must be absent. */
export interface GatewayToken {
  readonly owner: Address;
  readonly gatekeeperNetwork: Address;
  readonly issuingGatekeeper: Address;
  readonly state: number;
  /** Seconds. */
  readonly expiry: bigint | undefined;
}

const VERSION = 0;
const ABSENT = 0;
const PRESENT = 1;

const PARENT_AT = 1;
const OWNER_AT = 2;
const IDENTITY_AT = 34;
const NETWORK_AT = 35;
const GATEKEEPER_AT = 67;
const STATE_AT = 99;
const EXPIRY_AT = 100;

/**
 * Returns the bytes for the beginning of the account. Without an expiry they are eight bytes shorter, and the old bytes there stay.
 */
export function encodeGatewayToken(token: GatewayToken): Uint8Array {
  const bytes = new Uint8Array(token.expiry === undefined ? EXPIRY_AT + 1 : GATEWAY_TOKEN_SIZE);
  bytes[0] = VERSION;
  bytes.set(getAddressEncoder().encode(token.owner), OWNER_AT);
  bytes.set(getAddressEncoder().encode(token.gatekeeperNetwork), NETWORK_AT);
  bytes.set(getAddressEncoder().encode(token.issuingGatekeeper), GATEKEEPER_AT);
  bytes[STATE_AT] = token.state;
  if (token.expiry !== undefined) {
    bytes[EXPIRY_AT] = PRESENT;
    new DataView(bytes.buffer).setBigInt64(EXPIRY_AT + 1, token.expiry, true);
  }
  return bytes;
}

/** Returns the token; undefined if this is not the account of a gateway token. */
export function decodeGatewayToken(data: Uint8Array): GatewayToken | undefined {
  const state = data[STATE_AT] as number;
  if (data.length < GATEWAY_TOKEN_SIZE || data[PARENT_AT] !== ABSENT || data[IDENTITY_AT] !== ABSENT) return undefined;
  if (state > GatewayTokenState.Revoked || (data[EXPIRY_AT] as number) > PRESENT) return undefined;
  const addressAt = (offset: number) => getAddressDecoder().decode(data, offset);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  return {
    owner: addressAt(OWNER_AT),
    gatekeeperNetwork: addressAt(NETWORK_AT),
    issuingGatekeeper: addressAt(GATEKEEPER_AT),
    state,
    expiry: data[EXPIRY_AT] === PRESENT ? view.getBigInt64(EXPIRY_AT + 1, true) : undefined,
  };
}
