import {
  burn,
  freeze,
  getGatekeeperAccountAddress,
  getGatewayTokenAddressForOwnerAndGatekeeperNetwork,
  issue,
  PROGRAM_ID,
  revoke,
  unfreeze,
  updateExpiry,
} from '@identity.com/solana-gateway-ts';
import {
  Connection,
  type Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  type TransactionInstruction,
} from '@solana/web3.js';
import { callNode } from '../../call-node.ts';
import { pollUntil } from '../poll-until.ts';
import type { Gatekeeper } from './gatekeeper.ts';

const LAMPORTS = { ofOneSol: 1_000_000_000, rentOfNothing: 890_880 };

/** Gives the key funds and makes it a gatekeeper. Writes the account directly: no test has the gatekeeper network's key. */
export async function addSolanaGatekeeper(
  rpcUrl: string,
  gatekeeperNetwork: string,
  { publicKey }: Keypair,
): Promise<void> {
  const membership = getGatekeeperAccountAddress(publicKey, new PublicKey(gatekeeperNetwork));
  const set = (address: PublicKey, lamports: number, owner: PublicKey) =>
    callNode(rpcUrl, 'localnet_setAccount', [address.toBase58(), { lamports, owner: owner.toBase58() }]);
  await set(publicKey, LAMPORTS.ofOneSol, SystemProgram.programId);
  await set(membership, LAMPORTS.rentOfNothing, PROGRAM_ID);
}

/** Returns the gatekeeper with this key. */
export function solanaGatekeeper(rpcUrl: string, gatekeeperNetwork: string, key: Keypair): Gatekeeper {
  const connection = new Connection(rpcUrl, 'confirmed');
  const network = new PublicKey(gatekeeperNetwork);
  const authority = key.publicKey;
  const membership = getGatekeeperAccountAddress(authority, network);
  const tokenOf = (wallet: string, index = 0) =>
    getGatewayTokenAddressForOwnerAndGatekeeperNetwork(new PublicKey(wallet), network, index);

  const send = async (instruction: TransactionInstruction) => {
    const { blockhash } = await connection.getLatestBlockhash();
    const transaction = new Transaction({ feePayer: authority, recentBlockhash: blockhash }).add(instruction);
    transaction.sign(key);
    const signature = await connection.sendRawTransaction(transaction.serialize());
    const { value } = await pollUntil(
      () => connection.getSignatureStatus(signature),
      (status) => /^(confirmed|finalized)$/.test(status.value?.confirmationStatus ?? ''),
    );
    if (value?.err) throw new Error(`transaction ${signature} failed: ${JSON.stringify(value.err)}`);
    return signature;
  };

  return {
    issue: (wallet, expiry, index = 0) => {
      const seed = index === 0 ? undefined : Uint8Array.from([0, 0, 0, 0, 0, 0, 0, index]);
      const owner = new PublicKey(wallet);
      return send(issue(tokenOf(wallet, index), authority, membership, owner, authority, network, seed, expiry));
    },
    freeze: (wallet) => send(freeze(tokenOf(wallet), authority, membership)),
    unfreeze: (wallet) => send(unfreeze(tokenOf(wallet), authority, membership)),
    revoke: (wallet) => send(revoke(tokenOf(wallet), authority, membership)),
    setExpiry: (wallet, expiry) => send(updateExpiry(tokenOf(wallet), authority, membership, expiry)),
    burn: (wallet) => send(burn(tokenOf(wallet), authority, membership, authority)),
  };
}
