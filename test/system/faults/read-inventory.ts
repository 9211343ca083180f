import { chainOf } from '../../../tools/localnet/partner/chain-of.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import type { ChainInventory } from './chain-inventory.ts';
import { readEthereumInventory } from './ethereum-inventory.ts';
import { readSolanaInventory } from './solana-inventory.ts';

export function readInventory(facts: LocalnetFacts, network: string): Promise<ChainInventory> {
  return chainOf(network) === 'ethereum' ? readEthereumInventory(facts, network) : readSolanaInventory(facts, network);
}
