/**
 * The same limit on Solana: signs issuances of the gateway program and sends them in JSON-RPC batches, waits until all are
 * confirmed, and stores nothing. `node bare-sender-on-solana.ts RPC_URL KEY GATEKEEPER_NETWORK COUNT` prints the seconds it
 * took.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Address,
  type Blockhash,
  createKeyPairSignerFromBytes,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  signTransaction,
} from '@solana/kit';
import { gatekeeperAccount, issue, tokenAddresses } from '../../../src/chain/solana/gateway.ts';
import { transactionOf } from '../../../src/chain/solana/transaction.ts';
import { freshWallet } from '../../localnet/partner/fresh-wallet.ts';
import { GATEWAY_PROGRAM as program } from '../../localnet/solana/runtime/gateway-addresses.ts';

/** A node accepts 50 kB per request. */
const BATCH_CALLS_COUNT = 50;
const STATUSES_PER_CALL = 256;
const POLL_INTERVAL_MS = 50;
const UNITS = 60_000;

const [url = '', key = '', network = '', count = ''] = process.argv.slice(2);
const gatekeeperNetwork = network as Address;
const { address: gatekeeper, keyPair } = await createKeyPairSignerFromBytes(getBase58Encoder().encode(key));
const account = gatekeeperAccount(program, gatekeeper, gatekeeperNetwork);
const acting = { program, gatekeeper, gatekeeperNetwork, gatekeeperAccount: account };
const wallets = Array.from({ length: Number(count) }, () => freshWallet('devnet') as string as Address);

type LatestBlockhash = { value: { blockhash: Blockhash; lastValidBlockHeight: number } };
type Statuses = { value: ({ err: unknown; confirmationStatus: string } | null)[] };

const begun = performance.now();
const [latest] = (await ask([['getLatestBlockhash', [{ commitment: 'confirmed' }]]])) as [LatestBlockhash];
const { blockhash, lastValidBlockHeight } = latest.value;
const bounds = { unitPrice: 10_000n, lifetime: { blockhash, lastValidBlockHeight: BigInt(lastValidBlockHeight) } };
const waiting = new Set<string>();
const sends: Promise<unknown>[] = [];
for (let from = 0; from < wallets.length; from += BATCH_CALLS_COUNT) {
  const batch = await Promise.all(wallets.slice(from, from + BATCH_CALLS_COUNT).map(signIssuance));
  for (const transaction of batch) waiting.add(getSignatureFromTransaction(transaction));
  const options = { encoding: 'base64', skipPreflight: true };
  sends.push(ask(batch.map((each) => ['sendTransaction', [getBase64EncodedWireTransaction(each), options]])));
  // Sends the batch before it signs the next one.
  await sleep(0);
}
await Promise.all(sends);
while (waiting.size > 0) {
  await sleep(POLL_INTERVAL_MS);
  const asked = [...waiting].slice(0, STATUSES_PER_CALL);
  const [statuses] = (await ask([['getSignatureStatuses', [asked]]])) as [Statuses];
  for (const [index, status] of statuses.value.entries()) {
    if (status?.err) throw new Error('an issuance failed');
    if (status && status.confirmationStatus !== 'processed') waiting.delete(asked[index] as string);
  }
}
console.log((performance.now() - begun) / 1000);

async function signIssuance(wallet: Address) {
  const [token] = tokenAddresses(program, wallet, gatekeeperNetwork, [0]);
  if (token === undefined) throw new Error('no address');
  return signTransaction([keyPair], transactionOf(issue(acting, wallet, token, undefined), gatekeeper, bounds, UNITS));
}

async function ask(calls: readonly (readonly [string, readonly unknown[]])[]): Promise<unknown[]> {
  const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })));
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const answers = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[];
  const failed = answers.find(({ error }) => error);
  if (failed) throw new Error(failed.error?.message);
  return answers.toSorted((one, other) => one.id - other.id).map(({ result }) => result);
}
