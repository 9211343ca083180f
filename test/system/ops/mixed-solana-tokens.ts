import {
  findGatewayTokens,
  getGatewayTokenAddressForOwnerAndGatekeeperNetwork,
  PROGRAM_ID,
} from '@identity.com/solana-gateway-ts';
import type { Address } from '@solana/kit';
import { Connection, Keypair, PublicKey } from '@solana/web3.js';
import type { TokenRow } from '../../../ops/takeover/token-rows.ts';
import { SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { encodeGatewayToken, GATEWAY_TOKEN_SIZE } from '../../../tools/localnet/solana/runtime/gateway-token.ts';
import type { Random } from '../faults/random.ts';

/** Token accounts on a local Solana node, and the protocol's own client, which reads them without code of this project. */

/** The node accepts 50 kB per request. */
const BATCH_MAX_CALLS = 100;
/** The largest number that the protocol's client can read. */
const NEVER = 2n ** 53n - 1n;

/**
 * Writes accounts of tokens in random states, of two gatekeeper networks and of four gatekeepers. Some wallets get several
 * tokens, and some accounts have the size of an old build. A burned token has no account.
 */
export async function createSolanaTokens(
  rpcUrl: string,
  [network, other]: readonly [string, string],
  count: number,
  random: Random,
): Promise<void> {
  const wallets: { readonly key: PublicKey; tokens: number }[] = [];
  const newWallet = () => {
    const seed = Uint8Array.from({ length: 32 }, () => random.below(256));
    wallets.push({ key: Keypair.fromSeed(seed).publicKey, tokens: 0 });
    return wallets.at(-1) as (typeof wallets)[number];
  };
  const calls = Array.from({ length: count }, (_, id) => {
    const wallet = random.chance(0.1) && wallets.length > 0 ? random.pick(wallets) : newWallet();
    const gatekeeperNetwork = random.chance(0.85) ? network : other;
    const address = getGatewayTokenAddressForOwnerAndGatekeeperNetwork(
      wallet.key,
      new PublicKey(gatekeeperNetwork),
      wallet.tokens++,
    );
    const token = encodeGatewayToken({
      owner: wallet.key.toBase58() as Address,
      gatekeeperNetwork: gatekeeperNetwork as Address,
      issuingGatekeeper: random.pick(SOLANA_GATEKEEPERS) as Address,
      state: random.below(3),
      expiry: random.pick([undefined, undefined, 1_900_000_000n, 1_600_000_000n + BigInt(random.below(9_999)), NEVER]),
    });
    const isOld = token.length < GATEWAY_TOKEN_SIZE && random.chance(0.3);
    const data = new Uint8Array(isOld ? token.length : GATEWAY_TOKEN_SIZE);
    data.set(token);
    const account = { lamports: 1_649_520, owner: PROGRAM_ID.toBase58(), data: Buffer.from(data).toString('base64') };
    return { jsonrpc: '2.0', id, method: 'localnet_setAccount', params: [address.toBase58(), account] };
  });
  for (let start = 0; start < calls.length; start += BATCH_MAX_CALLS) {
    const body = JSON.stringify(calls.slice(start, start + BATCH_MAX_CALLS));
    const headers = { 'content-type': 'application/json' };
    const answers = await (await fetch(rpcUrl, { method: 'POST', headers, body })).json();
    const refused = (answers as { error?: { message: string } }[]).find(({ error }) => error !== undefined);
    if (refused) throw new Error(refused.error?.message);
  }
}

/** Reads all tokens of the gatekeeper network with the protocol's client, in the form of the file's rows. */
export async function readWithProtocolClient(
  rpcUrl: string,
  network: string,
  gatekeeperNetwork: string,
): Promise<Omit<TokenRow, 'block'>[]> {
  const connection = new Connection(rpcUrl, 'finalized');
  const tokens = await findGatewayTokens(connection, undefined, new PublicKey(gatekeeperNetwork), true);
  return tokens.map(({ owner, state, expiryTime, issuingGatekeeper, publicKey }) => ({
    chain: 'solana',
    network,
    walletAddress: owner.toBase58(),
    state,
    expiryTimestamp: expiryTime === undefined || expiryTime > 253_402_300_799 ? '' : String(expiryTime),
    issuedBy: issuingGatekeeper.toBase58(),
    token: publicKey.toBase58(),
  }));
}
