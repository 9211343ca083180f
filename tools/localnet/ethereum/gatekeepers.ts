import type { Address, Hex } from 'viem';

/**
 * The gatekeepers of the localnet on Ethereum-type networks: accounts 1, 6, 7 and 8 among those that every anvil node funds. The
 * Worker has the first one by default.
 */
export const GATEKEEPER_KEYS = [
  '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d',
  '0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e',
  '0x4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356',
  '0xdbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97',
] as const satisfies readonly Hex[];

/** Their addresses, in the same order. */
export const GATEKEEPERS = [
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
  '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
  '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
] as const satisfies readonly Address[];
