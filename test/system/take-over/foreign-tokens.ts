import { randomBytes } from 'node:crypto';
import {
  addGatekeeper,
  burn,
  freeze,
  getGatekeeperAccountAddress,
  getGatewayTokenAddressForOwnerAndGatekeeperNetwork,
  issue,
  revoke,
  updateExpiry,
} from '@identity.com/solana-gateway-ts';
import { Connection, Keypair, PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js';
import {
  type Address,
  createPublicClient,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  parseEther,
  zeroAddress,
} from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { slotOf } from '../../../src/network/slot.ts';
import { callNode } from '../../call-node.ts';
import { pollUntil } from '../poll-until.ts';

/** A gatekeeper network whose authority and gatekeeper the service does not hold, with tokens in mixed states. */

/** The history of a wallet's tokens. `two`: a token that expires, and one that expires later. */
const KINDS = ['active', 'expiring', 'expired', 'frozen', 'revoked', 'burned', 'two'] as const;
/** SlimGateway issues a wallet no second token, and after a burn the same one. */
export const KINDS_OF_SLIM = [...KINDS.filter((kind) => kind !== 'two'), 'reissued'] as const;
type Kind = (typeof KINDS)[number] | 'reissued';

export interface ForeignToken {
  readonly wallet: string;
  readonly kind: Kind;
  /** The expiry of the longest-living token, in Unix seconds; undefined: never. */
  readonly expiry?: number | undefined;
}

const DAY_SECONDS = 86_400;

function aToken(wallet: string, index: number, kinds: readonly Kind[] = KINDS): ForeignToken {
  const kind = kinds[index % kinds.length] ?? 'active';
  const now = Math.floor(Date.now() / 1000);
  if (kind === 'expired') return { wallet, kind, expiry: now - DAY_SECONDS - index };
  return kind === 'expiring' || kind === 'two'
    ? { wallet, kind, expiry: now + (index + 2) * DAY_SECONDS }
    : { wallet, kind };
}

const ABI = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient }',
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge) payable',
  'function setExpiration(uint256 tokenId, uint256 timestamp, Charge charge) payable',
  'function freeze(uint256 tokenId)',
  'function revoke(uint256 tokenId)',
  'function burn(uint256 tokenId)',
  'function getTokenIdsByOwnerAndNetwork(address, uint256, bool) view returns (uint256[])',
]);
const NO_CHARGE = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };
const GAS = 500_000n;

/** Creates the gatekeeper network in the contract and issues the tokens. The account is its authority and its gatekeeper. */
export async function issueOnEthereum(
  url: string,
  contract: string,
  key: string,
  count: number,
  kinds: readonly Kind[] = KINDS,
): Promise<ForeignToken[]> {
  const client = createPublicClient({ transport: http(url, { batch: true }), pollingInterval: 100 });
  const account = privateKeyToAccount(generatePrivateKey());
  await callNode(url, 'anvil_setBalance', [account.address, numberToHex(parseEther('1000'))]);
  const [chainId, slot, to] = [await client.getChainId(), slotOf(key) as bigint, contract as Address];
  let nonce = 0;
  const send = async (calls: readonly Hex[]) => {
    const sent = await Promise.all(
      calls.map(async (data) => {
        const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n };
        const call = { type: 'eip1559', chainId, nonce: nonce++, to, data, gas: GAS, ...fees } as const;
        return client.sendRawTransaction({ serializedTransaction: await account.signTransaction(call) });
      }),
    );
    for (const hash of sent) {
      const { status } = await client.waitForTransactionReceipt({ hash });
      if (status !== 'success') throw new Error(`transaction ${hash} failed`);
    }
  };
  const data = encodeFunctionData;
  await send([
    data({ abi: ABI, functionName: 'createNetwork', args: [slot, 'Foreign', false, zeroAddress] }),
    data({ abi: ABI, functionName: 'addGatekeeper', args: [account.address, slot] }),
  ]);

  const tokens = Array.from({ length: count }, (_, index) => aToken(getAddress(numberToHexAddress()), index, kinds));
  const mint = (wallet: string, expiry = 0) =>
    data({ abi: ABI, functionName: 'mint', args: [wallet as Hex, slot, BigInt(expiry), 0n, NO_CHARGE] });
  await send(
    tokens.flatMap(({ wallet, kind, expiry }) =>
      kind === 'two' ? [mint(wallet, (expiry ?? 0) - DAY_SECONDS), mint(wallet, expiry)] : [mint(wallet, expiry)],
    ),
  );
  const changes = await Promise.all(
    tokens.map(async ({ wallet, kind }) => {
      const changes = { frozen: 'freeze', revoked: 'revoke', burned: 'burn', reissued: 'burn' };
      const functionName = changes[kind as keyof typeof changes];
      if (functionName === undefined) return [];
      const [id = 0n] = await client.readContract({
        address: to,
        abi: ABI,
        functionName: 'getTokenIdsByOwnerAndNetwork',
        args: [wallet as Hex, slot, false],
      });
      return [data({ abi: ABI, functionName: functionName as 'freeze', args: [id] })];
    }),
  );
  await send(changes.flat());
  await send(tokens.flatMap(({ wallet, kind }) => (kind === 'reissued' ? [mint(wallet)] : [])));
  return tokens;
}

const numberToHexAddress = (): Hex => `0x${randomBytes(20).toString('hex')}`;

/** Instructions per transaction. Six issuances fit into one. */
const INSTRUCTIONS = 5;

/** Adds a gatekeeper with the gatekeeper network's own key pair, and issues the tokens. */
export async function issueOnSolana(url: string, pair: Uint8Array, count: number): Promise<ForeignToken[]> {
  const connection = new Connection(url, 'confirmed');
  const [network, gatekeeper] = [Keypair.fromSecretKey(pair), Keypair.generate()];
  for (const { publicKey } of [network, gatekeeper])
    await callNode(url, 'localnet_setAccount', [publicKey.toBase58(), { lamports: 1e12, owner: '1'.repeat(32) }]);
  const membership = getGatekeeperAccountAddress(gatekeeper.publicKey, network.publicKey);
  const send = async (instructions: readonly TransactionInstruction[], signers = [gatekeeper]) => {
    const { blockhash } = await connection.getLatestBlockhash();
    const sent: string[] = [];
    for (let at = 0; at < instructions.length; at += INSTRUCTIONS) {
      const feePayer = signers[0]?.publicKey ?? gatekeeper.publicKey;
      const transaction = new Transaction({ feePayer, recentBlockhash: blockhash });
      transaction.add(...instructions.slice(at, at + INSTRUCTIONS));
      transaction.sign(...signers);
      sent.push(await connection.sendRawTransaction(transaction.serialize(), { skipPreflight: true }));
    }
    for (const signature of sent) {
      const { value } = await pollUntil(
        () => connection.getSignatureStatus(signature),
        (status) => /^(confirmed|finalized)$/.test(status.value?.confirmationStatus ?? ''),
      );
      if (value?.err) throw new Error(`transaction ${signature} failed: ${JSON.stringify(value.err)}`);
    }
  };
  await send([addGatekeeper(network.publicKey, membership, gatekeeper.publicKey, network.publicKey)], [network]);

  const tokens = Array.from({ length: count }, (_, index) => aToken(Keypair.generate().publicKey.toBase58(), index));
  const by = gatekeeper.publicKey;
  const tokenOf = (wallet: string, index = 0) =>
    getGatewayTokenAddressForOwnerAndGatekeeperNetwork(new PublicKey(wallet), network.publicKey, index);
  const mint = (wallet: string, expiry?: number, index = 0) => {
    const seed = index === 0 ? undefined : Uint8Array.from([0, 0, 0, 0, 0, 0, 0, index]);
    const [account, owner] = [tokenOf(wallet, index), new PublicKey(wallet)];
    return issue(account, by, membership, owner, by, network.publicKey, seed, expiry);
  };
  await send(
    tokens.flatMap(({ wallet, kind, expiry }) => {
      if (kind === 'two') return [mint(wallet, (expiry ?? 0) - DAY_SECONDS), mint(wallet, expiry, 1)];
      return [mint(wallet, kind === 'expired' ? undefined : expiry)];
    }),
  );
  await send(
    tokens.flatMap(({ wallet, kind, expiry = 0 }) => {
      const token = tokenOf(wallet);
      switch (kind) {
        case 'expired':
          return [updateExpiry(token, by, membership, expiry)];
        case 'frozen':
          return [freeze(token, by, membership)];
        case 'revoked':
          return [revoke(token, by, membership)];
        case 'burned':
          return [burn(token, by, membership, by)];
        default:
          return [];
      }
    }),
  );
  return tokens;
}
