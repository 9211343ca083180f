import type { Address } from '@solana/kit';
import type { Hex } from 'viem';
import { hashCode } from '../../../src/chain/ethereum/read-control.ts';
import { EthereumChain } from '../ethereum/chain.ts';
import type { Scheduler } from '../platform/scheduler.ts';
import { SolanaChain } from '../solana/chain.ts';
import { ADMITTED_GATEKEEPERS, AUTHORITY, CONTRACTS, contractOf, SUPER_ADMIN, slotIn } from './gatekeepers.ts';
import { GATEKEEPER_NETWORKS } from './identities.ts';
import type { ChainNetwork, PassKey } from './networks.ts';

/** The chains of a world, their blocks, and the wallets that they admit. */

const GENESIS_HASH = 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG';
export const SEPOLIA_BLOCK_MS = 12_000;
export const SEPOLIA_FINAL_DEPTH = 2;
const DEVNET_SLOT_MS = 400;
/** The cluster makes its slots a few at a time. */
const SLOTS_AT_ONCE = 5;
/** The implementations that a contract may have, the first one at first, and their code. */
export const IMPLEMENTATIONS = (['c0de', 'beef', 'f00d'] as const).map((digits, index) => ({
  address: `0x${digits.repeat(10)}` as Hex,
  code: `0x6080604${1 + index}` as Hex,
}));
const CODE_HASHES = IMPLEMENTATIONS.map((implementation) => hashCode('0x60806040', implementation));
/** The hash of the code that the model of the contract shows at first. */
export const CODE_HASH = CODE_HASHES[0] as Hex;

/** Returns the number of the implementation that a contract has. */
export const implementationOf = ({ sepolia }: Chains, contract: Hex): number =>
  IMPLEMENTATIONS.findIndex(({ address }) => address === sepolia.gatewayAt(contract)?.implementation);

/** Returns the hash of a contract with that implementation. */
export const codeHashOf = (implementation: number): Hex => CODE_HASHES[implementation] as Hex;

export interface Chains {
  readonly sepolia: EthereumChain;
  readonly devnet: SolanaChain;
  /** How many of the transactions that nodes got a block includes. */
  readonly room: Record<ChainNetwork, number>;
}

/**
 * Creates both chains, with the gatekeepers of each gatekeeper network admitted.
 * @param genesisTime Unix seconds.
 * @param slim The numbers of the contracts on sepolia that are of the build SlimGateway.
 */
export function createChains(genesisTime: number, slim: readonly number[] = []): Chains {
  const sepolia = new EthereumChain({
    chainId: 11_155_111,
    contracts: CONTRACTS.map((address, index) => ({
      address,
      ...(slim.includes(index) ? { build: 'slim' } : { superAdmin: SUPER_ADMIN }),
      networks: GATEKEEPER_NETWORKS.filter((network) => contractOf(network) === address).map((network) => ({
        slot: slotIn(network),
        authority: AUTHORITY,
        gatekeepers: ADMITTED_GATEKEEPERS.ethereum,
      })),
    })),
    genesisTime,
    blockSeconds: SEPOLIA_BLOCK_MS / 1_000,
    finalDistance: SEPOLIA_FINAL_DEPTH,
  });
  for (const { address, code } of IMPLEMENTATIONS) sepolia.codes.set(address, code);
  const devnet = new SolanaChain({
    genesisHash: GENESIS_HASH,
    genesisTime,
    blockSeconds: DEVNET_SLOT_MS / 1_000,
    finalDistance: 32,
  });
  for (const network of GATEKEEPER_NETWORKS)
    for (const gatekeeper of ADMITTED_GATEKEEPERS.solana)
      devnet.authorize(gatekeeper as Address, network as unknown as Address);
  for (const gatekeeper of ADMITTED_GATEKEEPERS.solana) devnet.fund(gatekeeper as Address, 10n ** 10n);
  return { sepolia, devnet, room: { sepolia: Number.POSITIVE_INFINITY, devnet: Number.POSITIVE_INFINITY } };
}

/** Makes the blocks of these networks as time passes. @param onBlocks Called after new blocks of a network. */
export function makeBlocks(
  { sepolia, devnet, room }: Chains,
  networks: readonly ChainNetwork[],
  scheduler: Scheduler,
  onBlocks: (network: ChainNetwork) => void,
): void {
  const every = (ms: number, label: string, run: () => void) => {
    scheduler.after(ms, label, () => {
      run();
      every(ms, label, run);
    });
  };
  const mine = {
    sepolia: () => sepolia.mine(Math.floor(scheduler.now / 1_000), room.sepolia),
    devnet: () => devnet.mine(scheduler.now / 1_000, room.devnet),
  };
  const interval = { sepolia: SEPOLIA_BLOCK_MS, devnet: DEVNET_SLOT_MS * SLOTS_AT_ONCE };
  for (const network of networks)
    every(interval[network], `blocks of ${network}`, () => {
      mine[network]();
      onBlocks(network);
    });
}

/** Returns the tokens of the wallet, in their order on chain. */
export const tokensOf = ({ sepolia, devnet }: Chains, { gatekeeperNetwork, network, wallet }: PassKey) =>
  network === 'sepolia'
    ? sepolia.tokensOf(contractOf(gatekeeperNetwork), slotIn(gatekeeperNetwork), wallet as Hex)
    : devnet.tokensOf(wallet as Address, gatekeeperNetwork as unknown as Address);

/** Whether the chain admits the wallet at that time (Unix seconds). */
export const isAdmitted = (
  { sepolia, devnet }: Chains,
  { gatekeeperNetwork, network, wallet }: PassKey,
  seconds: number,
): boolean =>
  network === 'sepolia'
    ? sepolia.isValid(contractOf(gatekeeperNetwork), wallet as Hex, slotIn(gatekeeperNetwork), seconds)
    : devnet.isValid(wallet as Address, gatekeeperNetwork as unknown as Address, seconds);
