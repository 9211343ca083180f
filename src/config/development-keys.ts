import type { Gatekeeper } from './gatekeeper.ts';

/** First eight characters of the addresses of published keys, without `0x`. A test derives each of them from its key. */
export const KNOWN_ADDRESS_PREFIXES: ReadonlySet<string> = new Set(
  [
    // Hardhat and Anvil: "test test test test test test test test test test test junk".
    'f39Fd6e5 70997970 3C44CdDd 90F79bf6 15d34AAf 9965507D 976EA740 14dC7996 23618e81 a0Ee7A14',
    'Bcd4042D 71bE63f3 FABB0ac9 1CBd3b27 dF3e18d6 cd3B766C 2546BcD3 bDA5747b dD2FD458 8626f694',
    // Ganache: "myth like bonus scare over problem client lizard pioneer submit female collect".
    '90F8bf6A FFcf8FDE 22d491Bd E11BA2b4 d03ea862 95cED938 3E5e9111 28a8746e ACa94ef8 1dF62f29',
    // Truffle: "candy maple cake sugar pudding cream honey rich smooth crumble sweet treat".
    '62730609 f17f5215 C5fdf407 821aEa9a 0d1d4e62 2932b7A2 2191eF87 0F4F2Ac5 6330A553 5AEDA562',
    // BIP 39: "abandon", eleven times, and "about".
    '9858EfFD 6Fac4D18 b6716976 F3f50213 51cA8ff9 A40cFBFc B191a13b 593814d3 B14c391e 4C1C5644',
    // The bytes 0 to 31 and 1 to 32, on both chains.
    'edE35562 6370eF2f FAe4sisG 9C6hybhQ',
    // The test vectors of Ed25519 (RFC 8032 §7.1), and the localnet's gatekeeper on Solana.
    'FVen3X66 586Z7H2v Hyx62wPQ 3fD58whN Gtbi6WQD EzhebEdo',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Keys with fewer different bytes count as typed by hand, such as 1, 0x1111… or 0xdeadbeef…. Only one random key in 2^54 has
 * fewer.
 */
const MIN_DIFFERENT_BYTES = 16;

/**
 * Whether the key is public knowledge. It compares eight characters of the address: the chance to mistake a random key for a
 * published one is below one in a hundred million.
 */
export function isDevelopmentKey({ address, key }: Gatekeeper<string | Uint8Array>): boolean {
  const secret = key();
  // The first half of a Solana key pair is the private key.
  const bytes = typeof secret === 'string' ? secret.slice(2).match(/../g) : secret.subarray(0, 32);
  return (
    KNOWN_ADDRESS_PREFIXES.has(address.replace(/^0x/, '').slice(0, 8)) ||
    new Set<unknown>(bytes).size < MIN_DIFFERENT_BYTES
  );
}
