import { base58 } from '@scure/base';
import type { Brand } from '../lib/brand.ts';
import { parseSolanaAddress } from './wallet.ts';

/** A gatekeeper network: base58 of its public key. */
export type GatekeeperNetwork = Brand<string, 'GatekeeperNetwork'>;

/** Whether the text can be the name of a gatekeeper network, on either chain. */
export function isGatekeeperNetwork(text: string): text is GatekeeperNetwork {
  return parseSolanaAddress(text) !== undefined;
}

/**
 * Gatekeeper networks made before July 2024 have small numbers as their slot in the Ethereum contract; the list is
 * closed, and configuration can extend it.
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

/** Slot for tests: the private key of a gatekeeper there is public, so a token in it proves nothing. */
export const TEST_SLOT = 1n;

/**
 * The slot (uint256) of a gatekeeper network in the Ethereum contract: its number where it has one, else the
 * big-endian integer of the 32 bytes of its base58 public key. Undefined when it is no such key.
 */
export function slotOf(gatekeeperNetwork: string, extra: Readonly<Record<string, bigint>> = {}): bigint | undefined {
  for (const table of [extra, NUMBERED_SLOTS]) {
    if (Object.hasOwn(table, gatekeeperNetwork)) return table[gatekeeperNetwork];
  }
  if (parseSolanaAddress(gatekeeperNetwork) === undefined) return undefined;
  return base58.decode(gatekeeperNetwork).reduce((slot, byte) => (slot << 8n) | BigInt(byte), 0n);
}
