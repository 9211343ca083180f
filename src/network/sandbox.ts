import { encodeBase58 } from '../lib/base58.ts';
import type { Network } from './network.ts';
import { findNetwork } from './networks.ts';
import type { GatekeeperNetwork } from './slot.ts';

/**
 * A sandbox is a gatekeeper network whose networks are all simulated. Its key says so, so that no part of the service needs to ask, and
 * nothing can turn one into the other. The key is base58 of 32 bytes like any other, and nobody has its private key.
 */
const MARK = 'sandbox';
/** With the mark, 43 digits. They always encode 32 bytes, because the first digit is not among the lowest. */
const RANDOM_DIGITS = 36;

/** Whether the networks of that gatekeeper network are simulated. */
export function isSandbox(gatekeeperNetwork: string): boolean {
  return gatekeeperNetwork.startsWith(MARK);
}

/** Returns the key of a new sandbox. */
export function newSandbox(random = crypto.getRandomValues(new Uint8Array(32))): GatekeeperNetwork {
  return `${MARK}${encodeBase58(random).slice(-RANDOM_DIGITS)}` as GatekeeperNetwork;
}

/** How many days the clock of a sandbox may be ahead of the time. */
export const CLOCK_MAX_DAYS = 400;
/** How often the clock may be advanced in a real minute. A step is cheap, but a program that loops must not make it dear. */
export const CLOCK_STEPS_PER_MINUTE = 10;

/** Time between two simulated blocks, in milliseconds. */
export const SANDBOX_BLOCK_MS = 250;
/** A simulated block is final when this number of blocks is above it. */
export const SANDBOX_FINAL_DEPTH = 4;

/** Returns the simulation of a network: it is fast, and its coins cost nothing. */
export function simulationOf<N extends Network>(network: N): N {
  const money = { dailyCeiling: Number.MAX_SAFE_INTEGER, dailyLaneCeiling: Number.MAX_SAFE_INTEGER };
  const ethereum = { confirmations: 1, final: { depth: SANDBOX_FINAL_DEPTH } };
  return { ...network, ...(network.chain === 'ethereum' && ethereum), ...money, blockMs: SANDBOX_BLOCK_MS };
}

/** Returns the network with that name as the gatekeeper network has it: a sandbox has its simulation. */
export function findNetworkFor(
  gatekeeperNetwork: string,
  rows: readonly Network[],
  chain: string,
  name: string,
): Network | undefined {
  const network = findNetwork(rows, chain, name);
  return network && isSandbox(gatekeeperNetwork) ? simulationOf(network) : network;
}
