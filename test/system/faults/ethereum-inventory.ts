import {
  type Address,
  createPublicClient,
  decodeFunctionData,
  type Hex,
  http,
  type Log,
  parseAbi,
  parseEventLogs,
  zeroAddress,
} from 'viem';
import { slotOf } from '../../../src/network/slot.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { callNode } from '../../call-node.ts';
import { pollUntil } from '../poll-until.ts';
import type { ChainInventory } from './chain-inventory.ts';

/** The functions and events as the contract declares them. */
const ABI = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient; }',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  'function setExpiration(uint256 tokenId, uint256 timestamp, Charge charge) payable',
  'function freeze(uint256 tokenId)',
  'function unfreeze(uint256 tokenId)',
  'function revoke(uint256 tokenId)',
  'function getTokenIdsByOwnerAndNetwork(address, uint256, bool) view returns (uint256[])',
  'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
]);

interface Receipt {
  readonly transactionHash: Hex;
  readonly status: Hex;
  readonly to: Address | null;
  readonly from: Address;
  readonly logs: Log[];
}
interface Block {
  readonly transactions: readonly { readonly hash: Hex; readonly input: Hex }[];
}

/** Reads every block, and decodes each transaction of the gatekeeper. */
export async function readEthereumInventory(facts: LocalnetFacts, network: string): Promise<ChainInventory> {
  const url = facts.rpc[network] ?? '';
  const contract = facts.gatewayToken[network] as Address;
  const byPass = new Map<string, { mints: string[]; all: string[] }>();
  const ownerOf = new Map<bigint, string>();
  const transactionsOf = (name: string) => {
    const entry = byPass.get(name) ?? { mints: [], all: [] };
    byPass.set(name, entry);
    return entry;
  };

  const newest = Number(await callNode<Hex>(url, 'eth_blockNumber', []));
  for (let number = 0; number <= newest; number++) {
    const block = `0x${number.toString(16)}`;
    const { transactions } = await readBlock(url, block);
    if (transactions.length === 0) continue;
    const inputs = new Map(transactions.map(({ hash, input }) => [hash, input]));
    for (const receipt of await callNode<Receipt[]>(url, 'eth_getBlockReceipts', [block])) {
      if (receipt.status !== '0x1' || !isOurs(receipt, facts, contract)) continue;
      const call = decodeFunctionData({ abi: ABI, data: inputs.get(receipt.transactionHash) as Hex });
      if (call.functionName === 'mint') {
        const name = nameOf(call.args[0], call.args[1]);
        transactionsOf(name).mints.push(receipt.transactionHash);
        for (const { args } of parseEventLogs({ abi: ABI, eventName: 'Transfer', logs: receipt.logs })) {
          if (args.from === zeroAddress) ownerOf.set(args.tokenId, name);
        }
      }
      const subject =
        call.functionName === 'mint' ? nameOf(call.args[0], call.args[1]) : ownerOf.get(call.args[0] as bigint);
      transactionsOf(subject ?? 'unknown').all.push(receipt.transactionHash);
    }
  }

  const client = createPublicClient({ transport: http(url, { batch: true }) });
  return {
    async countTokens(wallet, gatekeeperNetwork) {
      const args = [wallet as Address, slotOf(gatekeeperNetwork) as bigint, false] as const;
      const ids = await client.readContract({
        abi: ABI,
        address: contract,
        functionName: 'getTokenIdsByOwnerAndNetwork',
        args,
      });
      return ids.length;
    },
    async transactionsAbout(wallet, gatekeeperNetwork) {
      return byPass.get(nameOf(wallet, slotOf(gatekeeperNetwork) as bigint)) ?? { mints: [], all: [] };
    },
  };
}

/** Reads a block. A busy node sometimes answers null for a block that it has, so this retries before it throws. */
async function readBlock(url: string, number: string): Promise<Block> {
  const read = () => callNode<Block | null>(url, 'eth_getBlockByNumber', [number, true]);
  try {
    return (await pollUntil(read, (block) => block !== null)) as Block;
  } catch {
    throw new Error(
      `the node has no block ${number}, and ${await callNode<Hex>(url, 'eth_blockNumber', [])} is its newest`,
    );
  }
}

function isOurs({ from, to }: Receipt, { gatekeeper }: LocalnetFacts, contract: Address): boolean {
  return from === gatekeeper.ethereum.toLowerCase() && to === contract.toLowerCase();
}

function nameOf(wallet: string, slot: bigint): string {
  return `${wallet.toLowerCase()} ${slot}`;
}
