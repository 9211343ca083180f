import { expect, inject, it } from 'vitest';
import { defaultContract } from '../../default-contract.ts';
import type { PassRecord } from './answer.ts';
import { partner, seededPartner } from './api.ts';
import { callNodeOf, withoutBlocks } from './node.ts';
import { aWallet } from './wallets.ts';

/** A pass from the request to the chain, on a real node. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const isActive = ({ state }: PassRecord) => state === 'ACTIVE';

it('accepts an issuance and returns the record of the pass', async () => {
  const wallet = aWallet();
  const before = Math.floor(Date.now() / 1000);
  const { status, record } = await acme.issue(SEPOLIA, wallet);
  const after = Math.floor(Date.now() / 1000);

  expect(status).toBe(202);
  expect(record).toStrictEqual({
    id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/),
    chain: { type: 'ethereum', network: 'sepolia' },
    gatekeeperNetwork: seededPartner('acme').gatekeeperNetwork,
    walletAddress: wallet,
    events: [{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp: expect.any(Number) }],
    onChainState: 'NONE',
    state: 'REQUESTED',
    contract: defaultContract({ network: 'sepolia' }),
  });
  expect(record.events[0]?.timestamp).toBeGreaterThanOrEqual(before);
  expect(record.events[0]?.timestamp).toBeLessThanOrEqual(after);
});

it('shows the transaction when it is sent, and the token when it is confirmed', async () => {
  const wallet = aWallet();
  let sent: PassRecord | undefined;
  await withoutBlocks('sepolia', async () => {
    await acme.issue(SEPOLIA, wallet);
    sent = (await acme.watch(SEPOLIA, wallet, ({ events }) => events[0]?.transaction !== undefined)).at(-1);
  });
  const identifier = sent?.events[0]?.transaction?.identifier as string;
  expect(sent).toMatchObject({
    state: 'REQUESTED',
    onChainState: 'NONE',
    events: [{ eventType: 'TOKEN_ISSUED_INITIATED', transaction: { status: 'sent' } }],
  });

  const transaction = { identifier, status: 'confirmed' };
  const active = (await acme.watch(SEPOLIA, wallet, isActive)).at(-1);
  expect(active).toStrictEqual({
    ...sent,
    state: 'ACTIVE',
    onChainState: 'ACTIVE',
    events: [
      { ...sent?.events[0], transaction },
      { eventType: 'TOKEN_ISSUED', timestamp: expect.any(Number), transaction },
    ],
  });
  expect(await callNodeOf('sepolia', 'eth_getTransactionReceipt', identifier)).toMatchObject({
    status: '0x1',
    from: inject('localnet').gatekeeper.ethereum.toLowerCase(),
    to: inject('localnet').gatewayToken.sepolia?.toLowerCase(),
  });
});

it('accepts a wallet in a single case, and returns its EIP-55 form', async () => {
  const wallet = aWallet();
  const digits = wallet.slice(2);
  const { record } = await acme.issue(SEPOLIA, wallet.toLowerCase());
  expect(record.walletAddress).toBe(wallet);
  expect((await acme.issue(SEPOLIA, `0x${digits.toUpperCase()}`)).record).toMatchObject({
    id: record.id,
    walletAddress: wallet,
  });
  expect((await acme.issue(SEPOLIA, wallet)).record).toMatchObject({ id: record.id, walletAddress: wallet });
});

it('keeps the passes of one wallet on two networks apart', async () => {
  const wallet = aWallet();
  const onSepolia = (await acme.issue(SEPOLIA, wallet)).record;
  const onBase = (await acme.issue('ethereum/baseSepolia', wallet)).record;
  expect(onBase.chain).toEqual({ type: 'ethereum', network: 'baseSepolia' });
  expect(onBase.id).not.toBe(onSepolia.id);
  await acme.watch('ethereum/baseSepolia', wallet, isActive);
});

it('assigns ids that order passes by their creation', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) {
    ids.push((await acme.issue(SEPOLIA, aWallet())).record.id);
    await scheduler.wait(2);
  }
  expect(ids).toEqual(ids.toSorted());
});

it('returns the pass to a GET right after the 202', async () => {
  const wallets = Array.from({ length: 40 }, aWallet);
  const pairs = await Promise.all(
    wallets.map(async (wallet) => {
      const issued = await acme.issue(SEPOLIA, wallet);
      return { issued, fetched: await acme.fetch(SEPOLIA, wallet) };
    }),
  );
  for (const { issued, fetched } of pairs) {
    expect([issued.status, fetched.status]).toEqual([202, 200]);
    expect(fetched.record.id).toBe(issued.record.id);
  }
  for (const wallet of wallets) await acme.watch(SEPOLIA, wallet, isActive);
});
