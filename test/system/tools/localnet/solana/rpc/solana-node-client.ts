import {
  getGatekeeperAccountAddress,
  getGatewayTokenAddressForOwnerAndGatekeeperNetwork,
  issue,
} from '@identity.com/solana-gateway-ts';
import { base58 } from '@scure/base';
import {
  address,
  appendTransactionMessageInstruction,
  type Blockhash,
  createKeyPairSignerFromBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  pipe,
  setTransactionMessageConfig,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { Keypair, PublicKey, Transaction, type TransactionInstruction } from '@solana/web3.js';
import { GATEKEEPER_NETWORKS } from '../../../../../../tools/localnet/oauth/partners.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../../../../tools/localnet/solana/gatekeepers.ts';
import { callNode } from '../../../../../call-node.ts';

export const GATEKEEPER = Keypair.fromSecretKey(base58.decode(SOLANA_GATEKEEPER_KEYS[0]));
export const NETWORK = new PublicKey(GATEKEEPER_NETWORKS[0] as string);

/** An error that the node answered. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Calls a node's JSON-RPC on the wire, for details that web3.js hides, and for the localnet's own methods. */
export class SolanaNodeClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of its answer
  async call(method: string, ...params: unknown[]): Promise<any> {
    return callNode(this.#url, method, params).catch((failure: Error) => {
      const refusal = Object(failure.cause) as Refusal;
      // The cause of a failed connection has a code too, which is a string.
      throw typeof refusal.code === 'number' ? new Refusal(refusal) : failure;
    });
  }

  post(body: string, headers: Record<string, string> = { 'content-type': 'application/json' }): Promise<Response> {
    return fetch(this.#url, { method: 'POST', headers, body, signal: AbortSignal.timeout(5000) });
  }

  async blockhash(commitment = 'processed'): Promise<string> {
    return (await this.call('getLatestBlockhash', { commitment })).value.blockhash;
  }

  /** Signs a transaction in which the gatekeeper issues a gateway token to the owner. */
  async issuance(owner: PublicKey, blockhash?: string): Promise<Issuance> {
    const pass = getGatewayTokenAddressForOwnerAndGatekeeperNetwork(owner, NETWORK);
    const membership = getGatekeeperAccountAddress(GATEKEEPER.publicKey, NETWORK);
    const payer = GATEKEEPER.publicKey;
    const transaction = new Transaction({ feePayer: payer, recentBlockhash: blockhash ?? (await this.blockhash()) });
    transaction.add(issue(pass, payer, membership, owner, payer, NETWORK, undefined, 1_900_000_000));
    transaction.sign(GATEKEEPER);
    const signature = base58.encode(transaction.signature as Buffer);
    return { owner, pass: pass.toBase58(), signature, wire: transaction.serialize().toString('base64') };
  }

  send(wire: string, options: object = { skipPreflight: true }): Promise<string> {
    return this.call('sendTransaction', wire, { encoding: 'base64', ...options });
  }

  /** Resolves to the status of a transaction, or to null if the node does not know it. */
  async status(signature: string, searchTransactionHistory = false) {
    return (await this.call('getSignatureStatuses', [signature], { searchTransactionHistory })).value[0];
  }
}

/** Signs a transaction of version 1, which kit encodes, as the gatekeeper. */
export async function version1(
  client: SolanaNodeClient,
  { programId, keys, data }: TransactionInstruction,
): Promise<{ readonly signature: string; readonly wire: Uint8Array }> {
  const signer = await createKeyPairSignerFromBytes(GATEKEEPER.secretKey);
  const lifetime = { blockhash: (await client.blockhash()) as Blockhash, lastValidBlockHeight: 0n };
  const instruction = {
    programAddress: address(programId.toBase58()),
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
      address: address(pubkey.toBase58()),
      role: (Number(isSigner) << 1) | Number(isWritable),
    })),
    data,
  };
  const signed = await signTransactionMessageWithSigners(
    pipe(
      createTransactionMessage({ version: 1 }),
      (message) => setTransactionMessageFeePayerSigner(signer, message),
      (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
      (message) =>
        setTransactionMessageConfig({ computeUnitLimit: 1_000, loadedAccountsDataSizeLimit: 50_000 }, message),
      (message) => appendTransactionMessageInstruction(instruction, message),
    ),
  );
  return {
    signature: getSignatureFromTransaction(signed),
    wire: Buffer.from(getBase64EncodedWireTransaction(signed), 'base64'),
  };
}

export interface Issuance {
  readonly owner: PublicKey;
  /** The address of the token. */
  readonly pass: string;
  readonly signature: string;
  /** The signed transaction in base64. */
  readonly wire: string;
}

export const freshOwner = () => Keypair.generate().publicKey;
