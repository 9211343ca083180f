import { getGatewayTokenAddressForOwnerAndGatekeeperNetwork } from '@identity.com/solana-gateway-ts';
import { Connection, PublicKey } from '@solana/web3.js';
import { type Address, createPublicClient, type Hex, http, numberToHex, pad, parseAbiItem, zeroAddress } from 'viem';
import type { Gatepass } from '../../tools/localnet/gatepass.ts';
import { chainOf } from '../../tools/localnet/partner/chain-of.ts';
import { dAppAccepts, type OnChainToken, readToken } from '../../tools/localnet/witness/on-chain-token.ts';
import { callNode } from '../call-node.ts';

/** Reads the wallets of a gatekeeper network from the chain, without the service. */
export class ChainWitness {
  readonly #facts: () => Gatepass['facts'];
  readonly #gatekeeperNetwork: () => string;

  constructor(facts: () => Gatepass['facts'], gatekeeperNetwork: () => string) {
    this.#facts = facts;
    this.#gatekeeperNetwork = gatekeeperNetwork;
  }

  /** Whether a dApp accepts the wallet. */
  accepts(network: string, wallet: string): Promise<boolean> {
    return dAppAccepts(this.#rpcUrl(network), wallet, this.#gatekeeperNetwork(), this.#contract(network));
  }

  token(network: string, wallet: string): Promise<OnChainToken | undefined> {
    return readToken(this.#rpcUrl(network), wallet, this.#gatekeeperNetwork(), this.#contract(network));
  }

  /** Resolves to the mined transactions of the service's gatekeeper about the wallet's tokens, failed ones included. */
  transactionsAbout(network: string, wallet: string): Promise<string[]> {
    return chainOf(network) === 'ethereum'
      ? this.#ofEthereum(network, wallet as Address)
      : this.#ofSolana(network, wallet);
  }

  /** Whether the transaction is in a block and succeeded. */
  async succeeded(network: string, transaction: string): Promise<boolean> {
    if (chainOf(network) === 'ethereum') {
      const receipt = await this.#ethereum(network).getTransactionReceipt({ hash: transaction as Hex });
      return receipt.status === 'success';
    }
    const { value } = await new Connection(this.#rpcUrl(network)).getSignatureStatus(transaction);
    return value !== null && value.err === null;
  }

  /** Resolves to the number of transactions of the service's gatekeeper in blocks. */
  async countTransactions(network: string): Promise<number> {
    const { ethereum, solana } = this.#facts().gatekeeper;
    if (chainOf(network) === 'ethereum') {
      return this.#ethereum(network).getTransactionCount({ address: ethereum as Address, blockTag: 'latest' });
    }
    const connection = new Connection(this.#rpcUrl(network), 'confirmed');
    return (await connection.getSignaturesForAddress(new PublicKey(solana), {}, 'confirmed')).length;
  }

  /** Makes the present blocks final. On Ethereum the next blocks do that without help. */
  async makeFinal(network: string): Promise<void> {
    if (chainOf(network) === 'solana') await callNode(this.#rpcUrl(network), 'localnet_advance', [34]);
  }

  #rpcUrl(network: string): string {
    return this.#facts().rpc[network] ?? '';
  }

  #contract(network: string): string {
    return this.#facts().gatewayToken[network] ?? '';
  }

  #ethereum(network: string) {
    return createPublicClient({ transport: http(this.#rpcUrl(network), { batch: true }) });
  }

  async #ofEthereum(network: string, wallet: Address): Promise<string[]> {
    const client = this.#ethereum(network);
    const { gatekeeper, gatewayToken } = this.#facts();
    const address = gatewayToken[network] as Address;
    const mints = await client.getLogs({
      address,
      event: TRANSFER,
      args: { from: zeroAddress, to: wallet },
      fromBlock: 0n,
    });
    const tokens = mints.map(({ args }) => numberToHex(args.tokenId ?? 0n, { size: 32 }));
    // The first argument of a call is the wallet (mint) or the token (other calls): 32 bytes after the 4-byte selector.
    const subjects = new Set<string>([pad(wallet.toLowerCase() as Hex), ...tokens]);
    const newest = Number(await client.getBlockNumber());
    const blocks = await Promise.all(
      Array.from({ length: newest + 1 }, (_, number) =>
        client.getBlock({ blockNumber: BigInt(number), includeTransactions: true }),
      ),
    );
    return blocks
      .flatMap(({ transactions }) => transactions)
      .filter(
        ({ from, input }) => from === gatekeeper.ethereum.toLowerCase() && subjects.has(`0x${input.slice(10, 74)}`),
      )
      .map(({ hash }) => hash);
  }

  async #ofSolana(network: string, wallet: string): Promise<string[]> {
    const connection = new Connection(this.#rpcUrl(network), 'confirmed');
    const owner = new PublicKey(wallet);
    const gatekeeperNetwork = new PublicKey(this.#gatekeeperNetwork());
    const tokens = [0, 1].map((index) =>
      getGatewayTokenAddressForOwnerAndGatekeeperNetwork(owner, gatekeeperNetwork, index),
    );
    const about = (address: PublicKey) => connection.getSignaturesForAddress(address, {}, 'confirmed');
    const [ofGatekeeper = [], ...ofTokens] = await Promise.all(
      [new PublicKey(this.#facts().gatekeeper.solana), ...tokens].map(about),
    );
    const signatures = new Set(ofTokens.flat().map(({ signature }) => signature));
    return ofGatekeeper
      .map(({ signature }) => signature)
      .filter((signature) => signatures.has(signature))
      .reverse();
  }
}

const TRANSFER = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)');
