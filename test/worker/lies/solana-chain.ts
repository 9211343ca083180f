import { env } from 'cloudflare:workers';
import { base58, base64 } from '@scure/base';
import type { Address } from '@solana/kit';
import { inject } from 'vitest';
import { readToken } from '../../../src/chain/solana/gateway.ts';
import { CLOCK_SYSVAR, readAccounts } from '../../../src/chain/solana/rpc.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { findNetwork } from '../../../src/network/networks.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import type { LiedCall } from '../../lies/lie.ts';
import type { ShownAccount, SolanaScene } from '../../lies/solana-lies.ts';
import { issueAnother } from '../chain/solana/issuing.ts';
import { addressOf, advance, anotherGatekeeper, aStep, callDevnet, rpc, untilFinal } from '../chain/solana/node.ts';
import { nowMs, setTime } from './simulated-time.ts';
import type { TestedChain } from './tested-chain.ts';

/** More addresses than the service reads, to detect tokens after those. */
const INDEXES = [0, 1, 2, 3, 4, 5, 6, 7];
const BASE_FEE = 5_000n;
const TOKEN_RENT = 1_649_520n;
/** The first turn confirms transactions, the second makes them final and lets every blockhash expire. */
const BLOCKS_OF_TURN = [4, 220];
const MS_OF_TURN = [5_000, 90_000];
/** The real network data, without the shorter times of the localnet. */
const NETWORKS = '{}';

export async function openSolana(neighborExpiry: number): Promise<TestedChain & { close(): Promise<void> }> {
  const network = findNetwork(configOf({ ...env, NETWORKS }).networks, 'solana', 'devnet');
  if (network?.chain !== 'solana') throw new Error('devnet is not configured');
  const { program, maxUnits, maxUnitPrice } = network;
  const neighbor = aStep();
  await issueAnother(neighbor, 0, neighborExpiry);
  await untilFinal();
  const at = (await addressOf(neighbor)).address;
  const readNeighbor = async () => {
    const { value } = await callDevnet<{ value: ShownAccount }>('getAccountInfo', at, { encoding: 'base64' });
    return value;
  };
  const neighborToken = await readNeighbor();

  /** Cached, because deriving them takes long. */
  const addresses = new Map<string, readonly Address[]>();

  async function readTokens({ wallet }: PassKey) {
    const { accounts } = await readAccounts(rpc(), addresses.get(wallet) ?? [], 'confirmed');
    const tokens = [...accounts.values()].filter(({ owner }) => owner === program);
    return tokens
      .map(({ data }) => readToken(data))
      .map((token) => ({ state: token?.state ?? '', expiry: token?.expiry }));
  }

  return {
    node: inject('localnet').rpc.devnet as string,
    clock: { askNode: (call) => call, answerForNode: answerClock },
    transactionMaxCost: BASE_FEE + TOKEN_RENT + (BigInt(maxUnits) * BigInt(maxUnitPrice)) / 1_000_000n,
    async newPass() {
      const step = aStep();
      const { key } = step;
      const { gatekeeper } = await anotherGatekeeper(key.gatekeeperNetwork);
      const own = await Promise.all(INDEXES.map(async (index) => (await addressOf(step, index)).address));
      addresses.set(key.wallet, own);
      const [tokenAddress = ''] = own;
      const scene: SolanaScene = { program, tokenAddress, neighborToken };
      const SOLANA_GATEKEEPER_KEY = base58.encode(gatekeeper.key());
      return { key, gatekeeper: gatekeeper.address, scene, variables: { SOLANA_GATEKEEPER_KEY, NETWORKS } };
    },
    async passTime(turn) {
      await advance(BLOCKS_OF_TURN[turn % 2] ?? 1);
      setTime(nowMs() + (MS_OF_TURN[turn % 2] ?? 0));
    },
    async balanceOf(gatekeeper) {
      const { accounts } = await readAccounts(rpc(), [gatekeeper as Address], 'confirmed');
      return accounts.get(gatekeeper as Address)?.lamports ?? 0n;
    },
    tokensOf: readTokens,
    async findHarm() {
      const { data } = await readNeighbor();
      return data[0] === neighborToken.data[0] ? undefined : 'the token of the neighbor has changed';
    },
    async close() {},
  };
}

/** The chain's own clock, at the time of the test. */
function answerClock({ method, params: [asked] }: LiedCall, truth: unknown): unknown {
  if (method !== 'getAccountInfo' && method !== 'getMultipleAccounts') return truth;
  const { context, value } = truth as { context: unknown; value: ShownAccount | (ShownAccount | null)[] };
  if (!Array.isArray(value)) return asked === CLOCK_SYSVAR ? { context, value: atTestTime(value) } : truth;
  const addresses = asked as readonly string[];
  return {
    context,
    value: value.map((account, index) =>
      account && addresses[index] === CLOCK_SYSVAR ? atTestTime(account) : account,
    ),
  };
}

function atTestTime(clock: ShownAccount): ShownAccount {
  const data = base64.decode(clock.data[0]);
  new DataView(data.buffer, data.byteOffset).setBigInt64(32, BigInt(Math.floor(nowMs() / 1000)), true);
  return { ...clock, data: [base64.encode(data), 'base64'] };
}
