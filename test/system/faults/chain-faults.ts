import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { callNode } from '../../call-node.ts';
import type { Random } from './random.ts';

/** Injects a fault into a chain itself, never below the final block of the localnet. Resolves to a description. */
export type ChainFault = (node: string, random: Random) => Promise<string>;

const BLOCK_SECONDS = 1;

interface Pool {
  readonly pending: Readonly<Record<string, Readonly<Record<string, { readonly hash: string }>>>>;
}

const ON_ETHEREUM: readonly ChainFault[] = [
  async function dropTransaction(node, random) {
    const { pending } = await callNode<Pool>(node, 'txpool_content', []);
    const hashes = Object.values(pending).flatMap((byNonce) => Object.values(byNonce).map(({ hash }) => hash));
    if (hashes.length > 0) await callNode(node, 'anvil_dropTransaction', [random.pick(hashes)]);
    return `dropped one of ${hashes.length} pending transactions`;
  },
  async function reorg(node, random) {
    const depth = 1 + random.below(2);
    // The reorg drops the transactions of the removed blocks from the pool as well.
    await callNode(node, 'anvil_reorg', [depth, []]);
    return `reorg of depth ${depth}`;
  },
  async function stopBlocks(node, random) {
    const ms = 2000 + random.below(4000);
    await callNode(node, 'evm_setIntervalMining', [0]);
    try {
      await sleep(ms);
    } finally {
      await callNode(node, 'evm_setIntervalMining', [BLOCK_SECONDS]);
    }
    return `no block for ${ms} ms`;
  },
];

/** The depths of Solana forks. Up to 30 blocks are not final. A transaction with a dropped blockhash never lands. */
const FORK_DEPTHS = [1, 1, 2, 3, 5, 30];

const ON_SOLANA: readonly ChainFault[] = [
  async function fork(node, random) {
    const blocks = random.pick(FORK_DEPTHS);
    await callNode(node, 'localnet_rollBack', [blocks]);
    return `fork that drops the newest ${blocks} blocks`;
  },
  async function expireBlockhashes(node) {
    await callNode(node, 'localnet_expireBlockhashes', []);
    return 'all blockhashes expired';
  },
];

/** Injects a random fault into one of the chains. Resolves to a description. */
export async function injectChainFault({ rpc }: LocalnetFacts, random: Random): Promise<string> {
  const [network, node] = random.pick(Object.entries(rpc));
  const faults = network === 'devnet' ? ON_SOLANA : ON_ETHEREUM;
  return `${network}: ${await random.pick(faults)(node, random)}`;
}
