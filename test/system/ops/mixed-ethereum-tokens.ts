import { StaticJsonRpcProvider } from '@ethersproject/providers';
import { GatewayTs, TokenState } from '@identity.com/gateway-eth-ts';
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  parseAbiItem,
  zeroAddress,
} from 'viem';
import type { TokenRow } from '../../../ops/takeover/token-rows.ts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';
import { slotOf } from '../../../src/network/slot.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { GATEKEEPER_NETWORKS } from '../../../tools/localnet/oauth/partners.ts';
import { callNode } from '../../call-node.ts';
import type { Random } from '../faults/random.ts';

/** Real tokens on a local Ethereum node, and the protocol's own client, which reads them without code of this project. */

const ABI = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient }',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  'function setExpiration(uint256 tokenId, uint256 timestamp, Charge charge) payable',
  'function freeze(uint256 tokenId)',
  'function unfreeze(uint256 tokenId)',
  'function revoke(uint256 tokenId)',
  'function burn(uint256 tokenId)',
]);
const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)');
const NO_CHARGE = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };
const GAS = numberToHex(300_000);
/** Transactions per block: below the block's gas limit. */
const BLOCK_MAX_TRANSACTIONS = 1_200;
const BATCH_MAX_CALLS = 400;
/** More blocks than anvil needs until the earlier ones are final. */
const FINAL_BLOCKS = 70;

/** Changes a chain without automatic blocks, with the gatekeepers' accounts, which the node holds. */
export class MixedTokens {
  readonly rpcUrl: string;
  readonly wallets: string[] = [];
  readonly #random: Random;
  readonly #contract: Address;
  readonly #nonces = new Map<Address, number>();

  constructor(rpcUrl: string, random: Random, contract: Address = OWNERLESS_CONTRACT) {
    this.#contract = contract;
    this.rpcUrl = rpcUrl;
    this.#random = random;
  }

  /**
   * Issues tokens in two gatekeeper networks, by four gatekeepers, to wallets of which some get several. Then it freezes, unfreezes,
   * revokes, burns and extends some of them.
   * @param perBlock Number of transactions in a block.
   */
  async create(count: number, perBlock = BLOCK_MAX_TRANSACTIONS): Promise<void> {
    await callNode(this.rpcUrl, 'evm_setAutomine', [false]);
    await callNode(this.rpcUrl, 'evm_setIntervalMining', [0]);
    await this.#send(
      Array.from({ length: count }, () => this.#mint()),
      perBlock,
    );
    const ids = await this.ids();
    const changes = ids.flatMap((id) => this.#firstChanges(id));
    await this.#send(changes, perBlock);
    const later = ids.filter(() => this.#random.chance(0.04)).map((id) => this.#call('burn', id));
    await this.#send(later, perBlock);
    await this.makeFinal();
  }

  async burn(ids: readonly bigint[]): Promise<void> {
    await this.#send(
      ids.map((id) => this.#call('burn', id)),
      BLOCK_MAX_TRANSACTIONS,
    );
  }

  async makeFinal(): Promise<void> {
    await callNode(this.rpcUrl, 'anvil_mine', [numberToHex(FINAL_BLOCKS)]);
  }

  /** Returns the ids of all tokens that were ever issued. */
  async ids(): Promise<bigint[]> {
    const client = createPublicClient({ transport: http(this.rpcUrl, { timeout: 60_000 }) });
    const logs = await client.getLogs({
      address: this.#contract,
      event: TRANSFER,
      args: { from: zeroAddress },
      fromBlock: 0n,
    });
    return logs.map(({ args }) => args.tokenId as bigint);
  }

  #mint(): Hex {
    const wallet = this.#random.chance(0.1) && this.wallets.length > 0 ? this.#random.pick(this.wallets) : undefined;
    const to =
      wallet ?? getAddress(`0x${Array.from({ length: 40 }, () => this.#random.below(16).toString(16)).join('')}`);
    if (wallet === undefined) this.wallets.push(to);
    const slot = slotOf(
      this.#random.weighted([
        [85, GATEKEEPER_NETWORKS[1] as string],
        [15, GATEKEEPER_NETWORKS[0] as string],
      ]),
    ) as bigint;
    const args = [to as Address, slot, this.#expiry(), 0n, NO_CHARGE] as const;
    return encodeFunctionData({ abi: ABI, functionName: 'mint', args });
  }

  #expiry(): bigint {
    return this.#random.weighted([
      [4, 0n],
      [3, BigInt(1_900_000_000 + this.#random.below(1_000_000))],
      [2, BigInt(1_600_000_000 + this.#random.below(1_000_000))],
      // Some gatekeepers encode "never" as the largest number.
      [1, 2n ** 64n - 1n],
    ]);
  }

  #firstChanges(id: bigint): Hex[] {
    return this.#random.weighted<readonly Hex[]>([
      [40, []],
      [20, [this.#call('freeze', id)]],
      [5, [this.#call('freeze', id), this.#call('unfreeze', id)]],
      [15, [this.#call('revoke', id)]],
      [5, [this.#call('freeze', id), this.#call('revoke', id)]],
      [15, [encodeFunctionData({ abi: ABI, functionName: 'setExpiration', args: [id, this.#expiry(), NO_CHARGE] })]],
    ]) as Hex[];
  }

  #call(functionName: 'freeze' | 'unfreeze' | 'revoke' | 'burn', id: bigint): Hex {
    return encodeFunctionData({ abi: ABI, functionName, args: [id] });
  }

  /** Includes the calls in blocks, in this order. Each block has one sender, so that no miner changes the order. */
  async #send(calls: readonly Hex[], perBlock: number): Promise<void> {
    for (let start = 0; start < calls.length; start += perBlock) {
      const from = this.#random.pick(GATEKEEPERS) as Address;
      const some = calls.slice(start, start + perBlock);
      await this.#sendFrom(from, some);
      await callNode(this.rpcUrl, 'evm_mine', []);
    }
    const { pending } = await callNode<{ pending: Hex }>(this.rpcUrl, 'txpool_status', []);
    if (Number(pending) !== 0) throw new Error(`${Number(pending)} transactions are not in a block`);
  }

  async #sendFrom(from: Address, calls: readonly Hex[]): Promise<void> {
    let nonce =
      this.#nonces.get(from) ?? Number(await callNode(this.rpcUrl, 'eth_getTransactionCount', [from, 'latest']));
    for (let start = 0; start < calls.length; start += BATCH_MAX_CALLS) {
      const body = calls.slice(start, start + BATCH_MAX_CALLS).map((data, index) => ({
        jsonrpc: '2.0',
        id: index,
        method: 'eth_sendTransaction',
        params: [{ from, to: this.#contract, data, gas: GAS, nonce: numberToHex(nonce++) }],
      }));
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(this.rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
      const answers = (await response.json()) as { error?: { message: string } }[];
      const refused = answers.find(({ error }) => error !== undefined);
      if (refused) throw new Error(refused.error?.message);
    }
    this.#nonces.set(from, nonce);
  }
}

/** Reads all tokens of these wallets in the gatekeeper network with the protocol's client, in the form of the file's rows. */
export async function readWithProtocolClient(
  rpcUrl: string,
  network: string,
  gatekeeperNetwork: string,
  wallets: readonly string[],
  address: Address = OWNERLESS_CONTRACT,
): Promise<Omit<TokenRow, 'block'>[]> {
  const provider = new StaticJsonRpcProvider(rpcUrl);
  const client = new GatewayTs(provider, address);
  // Its own methods read only the first token of a wallet, and no issuer.
  const { gatewayTokenContract: contract } = client as unknown as { gatewayTokenContract: ProtocolContract };
  const rows: Omit<TokenRow, 'block'>[] = [];
  const queue = [...wallets];
  const work = async () => {
    for (let wallet = queue.pop(); wallet !== undefined; wallet = queue.pop()) {
      for (const id of await client.getTokenIdsByOwnerAndNetwork(wallet, slotOf(gatekeeperNetwork) as bigint)) {
        const [{ owner, state, expiration }, issuedBy] = await Promise.all([
          contract.getToken(id),
          contract.getIssuingGatekeeper(id),
        ]);
        const never = expiration.isZero() || expiration.gt(253_402_300_799);
        rows.push({
          chain: 'ethereum',
          network,
          walletAddress: owner,
          state: TokenState[state] ?? '',
          expiryTimestamp: never ? '' : expiration.toString(),
          issuedBy,
          token: id.toString(),
        });
      }
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  return rows;
}

type TokenId = Awaited<ReturnType<GatewayTs['getTokenIdsByOwnerAndNetwork']>>[number];
interface ProtocolContract {
  getToken(id: TokenId): Promise<{ owner: string; state: number; expiration: TokenId }>;
  getIssuingGatekeeper(id: TokenId): Promise<string>;
}
