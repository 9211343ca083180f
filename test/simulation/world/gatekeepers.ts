import type { Hex } from 'viem';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { KMS_GATEKEEPERS } from '../../../tools/localnet/kms/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { CIVIC_CONTRACT } from '../../default-contract.ts';
import { CLIENTS } from './identities.ts';
import { KMS_KEYS } from './kms.ts';
import type { ChainNetwork } from './networks.ts';

/** The gatekeepers of a world, their keys, and the contracts and slots of the gatekeeper networks that admit them. */

/** Each gatekeeper network has one of these contracts on sepolia. */
export const CONTRACTS = [OWNERLESS_CONTRACT, CIVIC_CONTRACT] as readonly Hex[];
/** The account that may replace the code of every contract on sepolia. */
export const SUPER_ADMIN: Hex = `0x${'5a'.repeat(20)}`;
/** The authority of every gatekeeper network on sepolia. */
export const AUTHORITY: Hex = `0x${'a7'.repeat(20)}`;

/** The gatekeepers that the authorities admit at first: all of the Worker, and another one at the end. */
export const ADMITTED_GATEKEEPERS = {
  ethereum: [KMS_GATEKEEPERS.ethereum.aws, ...GATEKEEPERS],
  solana: [KMS_GATEKEEPERS.solana.aws, ...SOLANA_GATEKEEPERS],
} as const;
/** The gatekeeper of each chain whose key the Worker never has. */
export const OTHER_GATEKEEPER = { ethereum: GATEKEEPERS[3], solana: SOLANA_GATEKEEPERS[3] } as const;

/** Returns the contract of a gatekeeper network on sepolia. */
export const contractOf = (gatekeeperNetwork: string): Hex =>
  CONTRACTS[gatekeeperNetwork === CLIENTS[0].gatekeeperNetwork ? 0 : 1] as Hex;

/** Returns the slot of a gatekeeper network in its contract. */
export const slotIn = (gatekeeperNetwork: string): bigint => slotOf(gatekeeperNetwork) ?? 0n;

/** Returns the gatekeeper of a key of the Worker on sepolia. @param hasKms Whether the first key is in a KMS. */
export const gatekeeperOf = (key: number, hasKms: boolean): Hex =>
  (hasKms ? ADMITTED_GATEKEEPERS.ethereum : GATEKEEPERS)[key] as Hex;

/** Returns the address of a key of the Worker on a network. @param hasKms Whether the first key is in a KMS. */
export const addressOfKey = (network: ChainNetwork, key: number, hasKms: boolean): string =>
  network === 'sepolia'
    ? gatekeeperOf(key, hasKms)
    : ((hasKms ? ADMITTED_GATEKEEPERS.solana : SOLANA_GATEKEEPERS)[key] as string);

/** Returns the variables of the Worker for that many keys on each chain. @param hasKms Whether the first one is in a KMS. */
export function keyVariables(count: number, hasKms: boolean) {
  const inKms = (reference: string) => (hasKms ? [reference] : []);
  return {
    ETHEREUM_GATEKEEPER_KEY: [...inKms(KMS_KEYS.ethereum), ...GATEKEEPER_KEYS].slice(0, count).join(' '),
    SOLANA_GATEKEEPER_KEY: [...inKms(KMS_KEYS.solana), ...SOLANA_GATEKEEPER_KEYS].slice(0, count).join(' '),
  };
}
