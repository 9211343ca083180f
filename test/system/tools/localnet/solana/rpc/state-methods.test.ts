import { getGatekeeperAccountAddress } from '@identity.com/solana-gateway-ts';
import { base58 } from '@scure/base';
import { Connection, PublicKey, SYSVAR_CLOCK_PUBKEY, SYSVAR_RENT_PUBKEY } from '@solana/web3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stopChildren } from '../../../../../../terminal/child-process.ts';
import { KMS_GATEKEEPERS } from '../../../../../../tools/localnet/kms/gatekeepers.ts';
import { GATEKEEPER_NETWORKS } from '../../../../../../tools/localnet/oauth/partners.ts';
import { SOLANA_GATEKEEPERS } from '../../../../../../tools/localnet/solana/gatekeepers.ts';
import { startSolanaNode } from '../../../../../../tools/localnet/solana/start-node.ts';
import { findFreePort } from '../../../../../../tools/localnet/state/ports.ts';
import { freshOwner, GATEKEEPER, type Issuance, NETWORK, SolanaNodeClient } from './solana-node-client.ts';

/** Tests the read methods of the node through web3.js, or on the wire where web3.js hides details. */

const PROGRAM = new PublicKey('gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs');
const SYSTEM = '11111111111111111111111111111111';
const NOBODY = 'AU4ACdWTFMBL5uJw1H6TFvRxnN2XKGN5tF45PjLGTzkW';

let client: SolanaNodeClient;
let connection: Connection;
let passes: Issuance[];

beforeAll(async () => {
  const node = await startSolanaNode({ network: 'devnet', port: await findFreePort() }, { slotMs: 0 });
  client = new SolanaNodeClient(node.rpcUrl);
  connection = new Connection(node.rpcUrl, 'processed');
  passes = await Promise.all([1, 2].map(() => client.issuance(freshOwner())));
  for (const { wire } of passes) await client.send(wire);
  await client.call('localnet_advance', 40);
});

afterAll(stopChildren);

const [first, second] = [() => passes[0] as Issuance, () => passes[1] as Issuance];
const read = (method: string, ...params: unknown[]) => client.call(method, ...params);

describe('account methods', () => {
  it('the gatekeeper has funds and the account that authorizes it in its gatekeeper network', async () => {
    expect(await connection.getBalance(GATEKEEPER.publicKey)).toBeGreaterThan(999_999 * 1e9);
    const membership = getGatekeeperAccountAddress(GATEKEEPER.publicKey, NETWORK);
    expect(await connection.getAccountInfo(membership)).toMatchObject({ lamports: 890_880, owner: PROGRAM });
  });

  it('the accounts of programs are executable', async () => {
    expect(await connection.getAccountInfo(PROGRAM)).toMatchObject({ executable: true });
    expect((await connection.getAccountInfo(new PublicKey(SYSTEM)))?.executable).toBe(true);
  });

  it('the clock sysvar holds the slot of the block that the request reads, and the rent sysvar exists', async () => {
    for (const commitment of ['processed', 'finalized'] as const) {
      const { context, value } = await connection.getAccountInfoAndContext(SYSVAR_CLOCK_PUBKEY, commitment);
      expect(context.slot).toBe(await connection.getSlot(commitment));
      expect(value?.data.readBigUInt64LE(0)).toBe(BigInt(context.slot));
      expect(Math.abs(Number(value?.data.readBigInt64LE(32)) - Date.now() / 1000)).toBeLessThan(60);
    }
    const rent = await connection.getAccountInfo(SYSVAR_RENT_PUBKEY);
    expect(rent?.owner.toBase58()).toBe('Sysvar1111111111111111111111111111111111111');
    expect(rent?.data).toHaveLength(17);
  });

  it('getAccountInfo returns the data in the requested encoding', async () => {
    const { owner, pass } = first();
    const data = async (form?: object) => (await read('getAccountInfo', pass, form)).value.data;
    const whole = await data({ encoding: 'base64' });
    expect(Buffer.from(whole[0], 'base64').subarray(2, 34)).toEqual(owner.toBuffer());
    const bytes = base58.encode(Buffer.from(whole[0], 'base64'));
    expect(await data()).toBe(bytes);
    expect(await data({ encoding: 'base58' })).toEqual([bytes, 'base58']);
    expect(await data({ encoding: 'jsonParsed' })).toEqual(whole);
    const dataSlice = { offset: 2, length: 32 };
    expect(await data({ encoding: 'base58', dataSlice })).toEqual([owner.toBase58(), 'base58']);
    const { value } = await read('getAccountInfo', pass, { encoding: 'base64', dataSlice });
    expect(value).toMatchObject({ space: 109, owner: PROGRAM.toBase58(), executable: false });
  });

  it('getAccountInfo refuses base58 for long data', async () => {
    await read('localnet_setAccount', NOBODY, {
      lamports: 1,
      data: Buffer.alloc(129).toString('base64'),
      owner: SYSTEM,
    });
    await expect(read('getAccountInfo', NOBODY)).rejects.toMatchObject({ code: -32600 });
    await read('localnet_setAccount', NOBODY, null);
    expect((await read('getAccountInfo', NOBODY)).value).toBeNull();
  });

  it('the rent epoch is a JSON number of 64 bits', async () => {
    const params = [GATEKEEPER.publicKey.toBase58()];
    const answer = await client.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getAccountInfo', params }));
    expect(await answer.text()).toContain('"rentEpoch":18446744073709551615');
  });

  it('getMultipleAccounts reads at most a hundred accounts', async () => {
    const { context, value } = await read('getMultipleAccounts', [first().pass, NOBODY], { commitment: 'confirmed' });
    expect(context.slot).toBe(await connection.getSlot('confirmed'));
    expect([value[0].data[1], value[1]]).toEqual(['base64', null]);
    expect((await read('getMultipleAccounts', Array(100).fill(NOBODY))).value).toHaveLength(100);
    await expect(read('getMultipleAccounts', Array(101).fill(NOBODY))).rejects.toMatchObject({ code: -32602 });
  });

  it('getMinimumBalanceForRentExemption returns the price of Solana', async () => {
    expect(await connection.getMinimumBalanceForRentExemption(109)).toBe(1_649_520);
  });
});

describe('getProgramAccounts', () => {
  /** The number of empty accounts: one for each gatekeeper in each gatekeeper network. */
  const GATEKEEPER_ACCOUNTS =
    [...SOLANA_GATEKEEPERS, ...Object.values(KMS_GATEKEEPERS.solana)].length * GATEKEEPER_NETWORKS.length;
  const found = async (...filters: object[]) =>
    (await read('getProgramAccounts', PROGRAM.toBase58(), { filters, encoding: 'base64' }))
      .map(({ pubkey }: { pubkey: string }) => pubkey)
      .toSorted();

  it('getProgramAccounts filters by content and by size', async () => {
    const both = [first().pass, second().pass].toSorted();
    const { owner } = second();
    expect(await found({ dataSize: 109 })).toEqual(both);
    expect(await found({ memcmp: { offset: 35, bytes: NETWORK.toBase58() } })).toEqual(both);
    expect(await found({ memcmp: { offset: 2, bytes: owner.toBase58() } })).toEqual([second().pass]);
    const bytes = owner.toBuffer().toString('base64');
    expect(await found({ memcmp: { offset: 2, bytes, encoding: 'base64' } })).toEqual([second().pass]);
    expect(await found({ dataSize: 109 }, { memcmp: { offset: 2, bytes: NOBODY } })).toEqual([]);
    expect(await found({ dataSize: 0 })).toHaveLength(GATEKEEPER_ACCOUNTS);
    expect(await found({ memcmp: { offset: 100, bytes: base58.encode(Buffer.alloc(20)) } })).toEqual([]);
  });

  it('getProgramAccounts returns slices of data, and the context on request', async () => {
    const dataSlice = { offset: 99, length: 1 };
    const accounts = await connection.getProgramAccounts(PROGRAM, { filters: [{ dataSize: 109 }], dataSlice });
    expect(accounts.map(({ account }) => [...account.data])).toEqual([[0], [0]]);
    const withContext = await read('getProgramAccounts', PROGRAM.toBase58(), { withContext: true, dataSlice });
    expect([withContext.context.slot, withContext.value.length]).toEqual([
      await read('getSlot'),
      GATEKEEPER_ACCOUNTS + 2,
    ]);
  });

  it('getProgramAccounts refuses more than four filters', async () => {
    const filters = Array(5).fill({ dataSize: 1 });
    await expect(read('getProgramAccounts', PROGRAM.toBase58(), { filters })).rejects.toMatchObject({ code: -32602 });
  });
});

describe('chain methods', () => {
  it('the chain methods agree on slot, height and epoch', async () => {
    const [slot, height] = await Promise.all([connection.getSlot(), connection.getBlockHeight()]);
    expect(slot).toBeGreaterThan(height);
    const { epoch, slotIndex, slotsInEpoch, ...info } = await connection.getEpochInfo();
    expect(info).toMatchObject({ absoluteSlot: slot, blockHeight: height, transactionCount: 2 });
    expect(epoch * slotsInEpoch + slotIndex).toBe(slot);
    expect(await read('getHealth')).toBe('ok');
    expect((await connection.getVersion())['solana-core']).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it.each(['processed', 'confirmed', 'finalized'])(
    'the chain methods agree on slot and height at the commitment %s',
    async (commitment) => {
      const [slot, height] = [await read('getSlot', { commitment }), await read('getBlockHeight', { commitment })];
      expect(await read('getEpochInfo', { commitment })).toMatchObject({ absoluteSlot: slot, blockHeight: height });
      const { context } = (await read('getLatestBlockhash', { commitment })) as { context: { slot: number } };
      expect(context.slot).toBe(slot);
    },
  );

  it('a blockhash is valid for 150 blocks', async () => {
    const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash();
    expect(lastValidBlockHeight).toBe((await connection.getBlockHeight()) + 150);
    const good = async () => (await connection.isBlockhashValid(blockhash, { commitment: 'processed' })).value;
    await read('localnet_advance', 150);
    expect(await good()).toBe(true);
    await read('localnet_advance');
    expect(await good()).toBe(false);
    expect(await connection.isBlockhashValid(blockhash, { commitment: 'finalized' })).toMatchObject({ value: true });
    expect((await connection.isBlockhashValid(NOBODY)).value).toBe(false);
  });

  it('the node refuses a read with minContextSlot before that slot', async () => {
    const minContextSlot = await read('getSlot', { commitment: 'processed' });
    const contextSlot = await read('getSlot', { commitment: 'finalized' });
    expect((await read('getBalance', NOBODY, { minContextSlot, commitment: 'processed' })).value).toBe(0);
    const tooEarly = { code: -32016, data: { contextSlot } };
    await expect(read('getBalance', NOBODY, { minContextSlot })).rejects.toMatchObject(tooEarly);
  });
});
