import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { callNode } from '../../call-node.ts';
import type { Random } from './random.ts';

/** What happens to a chain itself, in words; within what its nodes call final in the localnet. */
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
    return `a pending transaction is dropped (of ${hashes.length})`;
  },
  async function reorg(node, random) {
    const depth = 1 + random.below(2);
    // Its transactions are gone, from the pool as well.
    await callNode(node, 'anvil_reorg', [depth, []]);
    return `a reorg of ${depth}`;
  },
  async function noBlocks(node, random) {
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

/** How many blocks a fork of Solana lacks; up to 30 are not final. What names a blockhash of theirs never lands again. */
const FORKS = [1, 1, 2, 3, 5, 30];

const ON_SOLANA: readonly ChainFault[] = [
  async function fork(node, random) {
    const blocks = random.pick(FORKS);
    await callNode(node, 'localnet_rollBack', [blocks]);
    return `a fork without the newest ${blocks} blocks`;
  },
  async function expire(node) {
    await callNode(node, 'localnet_expireBlockhashes', []);
    return 'all blockhashes expire';
  },
];

/** Lets something happen to one of the chains; tells what, and where. */
export async function misfortune({ rpc }: LocalnetFacts, random: Random): Promise<string> {
  const [network, node] = random.pick(Object.entries(rpc));
  const faults = network === 'devnet' ? ON_SOLANA : ON_ETHEREUM;
  return `${network}: ${await random.pick(faults)(node, random)}`;
}
