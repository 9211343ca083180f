import { setTimeout as sleep } from 'node:timers/promises';
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, zeroAddress } from 'viem';
import { slotOf } from '../../../src/network/slot.ts';
import { Failure } from '../../../terminal/failure.ts';
import { freshWallet } from '../../localnet/partner/fresh-wallet.ts';

/** Another gatekeeper of a partner's gatekeeper network, who mints tokens to wallets without a pass. */

const CHARGE = '(uint256 value, uint8 chargeType, address token, address tokenSender, address recipient)';
const ABI = parseAbi([
  `function mint(address to, uint256 network, uint256 expiration, uint256 mask, ${CHARGE} charge)`,
]);
const FREE = {
  value: 0n,
  chargeType: 0,
  token: zeroAddress,
  tokenSender: zeroAddress,
  recipient: zeroAddress,
} as const;
/** More than a mint uses. */
const GAS = '0x7a120';
const BATCH_MAX_CALLS = 100;
const POLL_INTERVAL_MS = 100;
const TIMEOUT_MS = 120_000;

export interface Stranger {
  readonly rpcUrl: string;
  readonly contract: Address;
  readonly gatekeeperNetwork: string;
  /** Its account, which the node signs for. */
  readonly account: Address;
}

/** Mints that many tokens as fast as the node accepts them, and waits until a block has the last one. Throws Failure if one fails. */
export async function mintAsStranger({ rpcUrl, contract, gatekeeperNetwork, account }: Stranger, count: number) {
  const slot = slotOf(gatekeeperNetwork) as bigint;
  // A node that handles the calls of a batch at the same time would give several the same nonce.
  let nonce = Number((await send<Hex>(rpcUrl, [['eth_getTransactionCount', account, 'pending']]))[0]);
  const call = () => {
    const args = [freshWallet('sepolia') as Address, slot, 0n, 0n, FREE] as const;
    const data = encodeFunctionData({ abi: ABI, functionName: 'mint', args });
    const transaction = { from: account, to: contract, data, gas: GAS, nonce: numberToHex(nonce) };
    nonce += 1;
    return ['eth_sendTransaction', transaction] as const;
  };
  let last: Hex | undefined;
  for (let left = count; left > 0; left -= BATCH_MAX_CALLS) {
    const calls = Array.from({ length: Math.min(left, BATCH_MAX_CALLS) }, call);
    last = (await send<Hex>(rpcUrl, calls)).at(-1);
  }
  for (const deadline = Date.now() + TIMEOUT_MS; Date.now() < deadline; await sleep(POLL_INTERVAL_MS)) {
    const [receipt] = await send<{ status: Hex } | null>(rpcUrl, [['eth_getTransactionReceipt', last]]);
    if (receipt?.status === '0x1') return;
    if (receipt) throw new Failure('the stranger may not mint');
  }
  throw new Failure('the tokens of the stranger are in no block');
}

async function send<Result>(rpcUrl: string, calls: readonly (readonly [string, ...unknown[]])[]): Promise<Result[]> {
  const body = calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params }));
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(rpcUrl, { method: 'POST', headers, body: JSON.stringify(body) });
  const answers = (await response.json()) as {
    readonly id: number;
    readonly result: Result;
    readonly error?: object;
  }[];
  const failed = answers.find(({ error }) => error !== undefined);
  if (failed) throw new Failure(`the node refused the stranger: ${JSON.stringify(failed.error)}`);
  return answers.toSorted((a, b) => a.id - b.id).map(({ result }) => result);
}
