import { decodeBase58, encodeBase58, hexToBytes } from '../lib/bytes.ts';
import type { Brand } from '../lib/units.ts';
import { parseSolanaAddress } from './wallet.ts';

/** A gatekeeper network: its public key in base58. */
export type GatekeeperNetwork = Brand<string, 'GatekeeperNetwork'>;

/** Whether the text can name a gatekeeper network, on either chain: a public key that derives no small slot. */
export function isGatekeeperNetwork(text: string): text is GatekeeperNetwork {
  return parseSolanaAddress(text) !== undefined && !derivesSmallSlot(text);
}

/**
 * Whether the slot derived from the key is below 2^64: its first 24 bytes are zero, and base58 writes each of them as "1".
 * Assigned numbers of gatekeeper networks are that small, so two gatekeeper networks could share a slot. No random key has such
 * a slot.
 */
export function derivesSmallSlot(gatekeeperNetwork: string): boolean {
  return gatekeeperNetwork.startsWith('1'.repeat(24));
}

/**
 * Gatekeeper networks created before July 2024 have an assigned small number as their slot in the Ethereum contract. The list
 * is closed. Configuration can add other numbers but cannot change these.
 */
export const NUMBERED_SLOTS: Readonly<Record<string, bigint>> = {
  tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf: 1n,
  ignREusXmGrscGNUesoU9mxfds9AiYTezUKex2PsZV6: 4n,
  bni1ewus6aMxTxBi5SAfzEmmXLf8KcVFRmTfproJuKw: 6n,
  b1gz9sD7TeH6cagodm4zTcAx6LkZ56Etisvgr6jGFQb: 7n,
  uniqobk8oGh4XBLMqM68K8M2zNu3CdYX7q5go7whQiv: 10n,
  vaa1QRNEBb1G2XjPohqGWnPsvxWnwwXF67pdjrhDSwM: 11n,
  tigoYhp9SpCDoCQmXGj2im5xa3mnjR1zuXrpCJ5ZRmi: 14n,
  tbniJdS9j7BWhUoJesjpqutC54AYr96cn2No7dJcqce: 16n,
  tb1g4GgywqGprgbuRw8RdDuPGUPC4CFMmmNFXfBX79J: 17n,
  tunQheuPpHhjjsbrUDp4rikqYez9UXv4SXLRHf9Kzsv: 20n,
  tvaaHL9BSgZGLRAqUrx1Fzs2Uneb6BWGdnYuqrFoXm3: 21n,
};

/** The slot for tests. The private key of a gatekeeper there is public, so a token in it proves nothing. */
export const TEST_SLOT = 1n;

/**
 * Returns the slot (uint256) of a gatekeeper network in the Ethereum contract: its assigned number, or else the big-endian
 * integer of the 32 bytes of its public key. Undefined if `isGatekeeperNetwork` refuses the key.
 * @param extra Numbers in addition to the built-in table.
 */
export function slotOf(gatekeeperNetwork: string, extra: Readonly<Record<string, bigint>> = {}): bigint | undefined {
  for (const table of [NUMBERED_SLOTS, extra]) {
    if (Object.hasOwn(table, gatekeeperNetwork)) return table[gatekeeperNetwork];
  }
  return isGatekeeperNetwork(gatekeeperNetwork) ? deriveSlot(gatekeeperNetwork) : undefined;
}

/**
 * Returns the gatekeeper network with that slot, the inverse of `slotOf`; undefined if no gatekeeper network has it.
 * @param extra Numbers in addition to the built-in table.
 */
export function gatekeeperNetworkOf(
  slot: bigint,
  extra: Readonly<Record<string, bigint>> = {},
): GatekeeperNetwork | undefined {
  for (const gatekeeperNetwork of [...Object.keys(NUMBERED_SLOTS), ...Object.keys(extra)]) {
    if (slotOf(gatekeeperNetwork, extra) === slot) return gatekeeperNetwork as GatekeeperNetwork;
  }
  const key = encodeBase58(hexToBytes(`0x${slot.toString(16).padStart(64, '0')}`));
  // A key with a number in a table has another slot.
  return slotOf(key, extra) === slot ? (key as GatekeeperNetwork) : undefined;
}

/** Returns the big-endian integer of the 32 bytes of a public key, even if it is too small for a slot. */
export function deriveSlot(publicKey: string): bigint {
  return decodeBase58(publicKey).reduce((slot, byte) => (slot << 8n) | BigInt(byte), 0n);
}
