/**
 * The upper limit for one key: signs mints of the gateway contract and sends them in JSON-RPC batches,
 * waits for their receipts, and stores nothing. `node bare-sender.ts RPC_URL KEY SLOT COUNT` prints the seconds it took.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createPublicClient, encodeFunctionData, type Hex, http, parseAbi, zeroAddress } from 'viem';
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts';
import { OWNERLESS_CONTRACT } from '../../../src/network/networks.ts';

const BATCH_CALLS_COUNT = 100;
const POLL_INTERVAL_MS = 50;
const ABI = parseAbi([
  'struct Charge { uint256 value; uint8 chargeType; address token; address tokenSender; address recipient; }',
  'function mint(address to, uint256 network, uint256 expiration, uint256 mask, Charge charge)',
]);
const NO_CHARGE = { value: 0n, chargeType: 0, token: zeroAddress, tokenSender: zeroAddress, recipient: zeroAddress };

const [url = '', key = '', slot = '', count = ''] = process.argv.slice(2);
const account = privateKeyToAccount(key as Hex);
const client = createPublicClient({ transport: http(url, { batch: { batchSize: BATCH_CALLS_COUNT } }) });
const wallets = Array.from({ length: Number(count) }, () => privateKeyToAddress(generatePrivateKey()));

const begun = performance.now();
const calls = wallets.map((wallet) => {
  return encodeFunctionData({ abi: ABI, functionName: 'mint', args: [wallet, BigInt(slot), 0n, 0n, NO_CHARGE] });
});
const [chainId, first, fees, estimate] = await Promise.all([
  client.getChainId(),
  client.getTransactionCount({ address: account.address }),
  client.estimateFeesPerGas(),
  client.estimateGas({ account: account.address, to: OWNERLESS_CONTRACT, data: calls[0] as Hex }),
]);
const { maxFeePerGas, maxPriorityFeePerGas } = fees;
const terms = { chainId, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas, gas: (estimate * 13n) / 10n } as const;

const sends: Promise<Hex[]>[] = [];
for (let from = 0; from < calls.length; from += BATCH_CALLS_COUNT) {
  const signed = await Promise.all(
    calls.slice(from, from + BATCH_CALLS_COUNT).map((data, index) => {
      return account.signTransaction({ ...terms, to: OWNERLESS_CONTRACT, data, nonce: first + from + index });
    }),
  );
  const sent = signed.map((serializedTransaction) => client.sendRawTransaction({ serializedTransaction }));
  sends.push(Promise.all(sent));
  // Sends the batch before it signs the next one.
  await sleep(0);
}
let waiting = (await Promise.all(sends)).flat();
while (waiting.length > 0) {
  await sleep(POLL_INTERVAL_MS);
  const receipts = await Promise.all(
    waiting.map((hash) => client.getTransactionReceipt({ hash }).catch(() => undefined)),
  );
  if (receipts.some((receipt) => receipt?.status === 'reverted')) throw new Error('a mint was reverted');
  waiting = waiting.filter((_, index) => receipts[index] === undefined);
}
console.log((performance.now() - begun) / 1000);
