import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, inject, it, vi } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { type EmergencyLists, signerNameOf, signersOn } from '../../../src/config/signers.ts';
import { GATEKEEPER_KEYS, GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPER_KEYS, SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { eventually } from '../../eventually.ts';
import { withOwnTimers } from '../own-timers.ts';
import { partner, workerWith } from './api.ts';
import { TRUSTING } from './issuer.ts';
import { callNodeOf, transactionCount, withoutBlocks } from './node.ts';
import { anOperator, operator } from './operator.ts';
import { untilFinal } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/** The operator's view of the signers. */

const localnet = inject('localnet');
const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const ops = await operator();

interface Shown {
  readonly network: string;
  readonly chain: string;
  readonly address: string;
  readonly retired: boolean;
  readonly compromised: boolean;
  readonly balance: string | null;
  readonly why?: string;
  readonly nextNonce: number | null;
  readonly inFlight: Record<string, number>;
  readonly oldestPending: { step: string; since: number; ageSeconds: number; nonce: number | null } | null;
  readonly paused: { why: string; until: number } | null;
}

async function signers(of = ops): Promise<Shown[]> {
  const { status, text } = await of.call('GET', '/admin/signers');
  expect(status).toBe(200);
  return JSON.parse(text).signers;
}

const NETWORKS = ['devnet', 'sepolia', 'baseSepolia'];
const inOrder = async (of = ops) => {
  const all = await signers(of);
  return NETWORKS.map((name) => all.find(({ network }) => network === name));
};
const signerOf = async (network: string, of = ops) => (await signers(of)).find((each) => each.network === network);
function nameOf(network: string): string {
  const row = configOf(env).networks.find((each) => each.network === network);
  const [signer] = row ? signersOn(configOf(env), row) : [];
  if (signer === undefined) throw new Error(`${network} is not enabled`);
  return signerNameOf(signer);
}

const funds = (balance: string) => callNodeOf('sepolia', 'anvil_setBalance', localnet.gatekeeper.ethereum, balance);
const until = <T>(holds: () => Promise<T>) => eventually(holds, 50);

afterEach(async () => {
  vi.useRealTimers();
  await untilFinal();
});

it('lists every enabled network with its key, balance and next nonce', async () => {
  const [devnet, sepolia, baseSepolia] = await inOrder();
  const { ethereum, solana } = localnet.gatekeeper;
  expect(sepolia).toMatchObject({ network: 'sepolia', chain: 'ethereum', address: ethereum });
  expect(sepolia?.nextNonce).toBe(await transactionCount('sepolia'));
  expect(sepolia?.balance).toBe(
    BigInt((await callNodeOf('sepolia', 'eth_getBalance', ethereum, 'latest')) as string).toString(),
  );
  expect(baseSepolia).toMatchObject({ network: 'baseSepolia', chain: 'ethereum', address: ethereum });
  const { value } = (await callNodeOf('devnet', 'getBalance', solana, { commitment: 'confirmed' })) as {
    value: number;
  };
  expect(devnet).toMatchObject({ network: 'devnet', chain: 'solana', address: solana, balance: String(value) });
  expect(devnet?.nextNonce).toBeNull();
});

it('lists every key of a network, and marks the retired keys', async () => {
  const shown = (await signers()).map(({ network, address, retired, compromised }) => {
    expect(compromised).toBe(false);
    return { network, address, retired };
  });
  const keysOf = (network: string, keys: readonly string[]) =>
    keys.slice(0, 2).map((address, index) => ({ network, address, retired: index === 1 }));
  const onEthereum = ['sepolia', 'baseSepolia'].flatMap((network) => keysOf(network, GATEKEEPERS));
  expect(shown).toHaveLength(6);
  expect(shown).toEqual(expect.arrayContaining([...onEthereum, ...keysOf('devnet', SOLANA_GATEKEEPERS)]));
});

it('shows the nonce and the age of a transaction that no block includes', async () => {
  await withoutBlocks('sepolia', async () => {
    const nonce = await transactionCount('sepolia');
    const { record } = await acme.issue(SEPOLIA, aWallet());
    await until(async () =>
      expect(await signerOf('sepolia')).toMatchObject({
        nextNonce: nonce + 1,
        inFlight: { sent: 1 },
        oldestPending: { step: `${record.id}:1`, nonce, ageSeconds: expect.any(Number) },
      }),
    );
  });
});

it('pauses a signer without funds, keeps its passes REQUESTED, and resumes when the gatekeeper has funds', async () => {
  const rich = (await callNodeOf('sepolia', 'eth_getBalance', localnet.gatekeeper.ethereum, 'latest')) as string;
  const wallet = aWallet();
  await funds('0x0');
  try {
    await acme.issue(SEPOLIA, wallet);
    await until(async () =>
      expect(await signerOf('sepolia')).toMatchObject({
        balance: '0',
        paused: { why: 'the gatekeeper has no funds', until: expect.any(Number) },
      }),
    );
    expect((await acme.fetch(SEPOLIA, wallet)).record).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });
    // Other signers are not affected.
    expect((await signerOf('baseSepolia'))?.paused).toBeNull();
  } finally {
    await funds(rich);
  }
  await acme.watch(SEPOLIA, wallet, ({ state }) => state === 'ACTIVE');
  await until(async () => expect((await signerOf('sepolia'))?.paused).toBeNull());
});

describe('GET /admin/signers with a failing signer', () => {
  /**
   * Returns an operator of a Worker in which the signer of sepolia answers like this, and the answers of the other
   * signers.
   */
  const withSepolia = async (status: () => Promise<never>) => {
    const others: Promise<unknown>[] = [];
    const getByName = (name: string) => {
      if (name === nameOf('sepolia')) return { status, obey: status };
      const signer = (env as Env).SIGNERS.getByName(name);
      const noted = (answer: Promise<unknown>) => {
        others.push(answer);
        return answer;
      };
      return { status: () => noted(signer.status()), obey: (lists: EmergencyLists) => noted(signer.obey(lists)) };
    };
    return { others, api: await anOperator({}, workerWith({ ...TRUSTING, SIGNERS: { getByName } })) };
  };
  const expectOthers = (shown: Awaited<ReturnType<typeof inOrder>>) => {
    const [devnet, sepolia, baseSepolia] = shown;
    const away = { network: 'sepolia', balance: null, why: 'the signer does not answer', emergency: null };
    expect(sepolia).toMatchObject(away);
    for (const other of [devnet, baseSepolia]) {
      expect(other?.balance).toMatch(/^\d+$/);
      expect(other).toMatchObject({ emergency: { number: 0, stopped: false } });
    }
  };

  it('lists the other signers while one signer hangs', async () => {
    const { others, api } = await withSepolia(() => new Promise(() => {}));
    await withOwnTimers(async () => {
      const shown = inOrder(api);
      await eventually(() => expect(others).toHaveLength(10));
      await Promise.all(others);
      await vi.advanceTimersByTimeAsync(5_000);
      expectOthers(await shown);
    });
  });

  it('lists the other signers while one signer cannot be reached', async () => {
    const { api } = await withSepolia(() => Promise.reject(new Error('the object was reset')));
    expectOthers(await inOrder(api));
  });
});

it('reveals no secret in the list of signers', async () => {
  const { text } = await ops.call('GET', '/admin/signers');
  const secrets = [...GATEKEEPER_KEYS, ...SOLANA_GATEKEEPER_KEYS, ...Object.values(localnet.rpc)];
  for (const secret of secrets) expect(text).not.toContain(secret.replace(/^0x/, ''));
});
