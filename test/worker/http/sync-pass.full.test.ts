import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { passName } from '../../../src/pass/pass.ts';
import { expectProblem } from '../../problem.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { aPass } from './a-pass.ts';
import { partner, seededPartner, workerWith, workerWithoutQueue } from './api.ts';
import { callNodeOf, transactionCount, withoutBlocks } from './node.ts';
import { anActivePass, changeAsOther, issueAsOther, tokensOf, untilFinal } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/** `sync` after changes by another gatekeeper of the gatekeeper network. */

const { PASSES, DB } = env as Env;
const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const { gatekeeperNetwork } = seededPartner('acme');
/** Its messages are lost, so no work starts by itself. */
const quietly = acme.through(workerWithoutQueue);
const inAnHour = Math.floor(Date.now() / 1000) + 3600;

const objectOf = (wallet: Wallet) =>
  PASSES.getByName(passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }));
const rowOf = (wallet: string) => DB.prepare('SELECT * FROM passes WHERE wallet = ?').bind(wallet).first();

/** Expects that all due work for the wallet's pass sends no transaction. */
async function causesNoTransaction(wallet: Wallet, sent: number): Promise<void> {
  await runDurableObjectAlarm(objectOf(wallet));
  await anActivePass(acme);
  expect(await transactionCount('sepolia')).toBe(sent + 1);
}

describe('changes by another gatekeeper', () => {
  it.each([
    ['froze the token', ['freeze'], { state: 'FROZEN', onChainState: 'FROZEN' }, ['TOKEN_FROZEN']],
    ['froze and unfroze the token', ['freeze', 'unfreeze'], { state: 'ACTIVE' }, ['TOKEN_FROZEN', 'TOKEN_UNFROZEN']],
    ['set an expiry', [{ setExpiration: inAnHour }], { expiryTimestamp: inAnHour }, ['TOKEN_EXPIRY_CHANGED']],
    ['revoked the token', ['revoke'], { state: 'REVOKED', onChainState: 'REVOKED' }, ['TOKEN_REVOKED']],
    ['burned the token', ['burn'], { state: 'REVOKED', onChainState: 'NONE' }, ['TOKEN_REVOKED']],
  ] as const)(
    'shows after a sync that another gatekeeper %s, and adopts it as the wanted state',
    async (_, deeds, shows, changes) => {
      const wallet = await anActivePass(acme);
      const before = (await acme.fetch(SEPOLIA, wallet)).record;
      const sent = await transactionCount('sepolia');
      for (const deed of deeds) {
        await changeAsOther(deed, wallet);
        await untilFinal();
        expect((await acme.sync(SEPOLIA, wallet)).status).toBe(200);
      }
      const { record, text } = await acme.sync(SEPOLIA, wallet);
      expect(record).toMatchObject({ id: before.id, ...shows });
      const bare = changes.map((eventType) => ({ eventType, timestamp: expect.any(Number), byOthers: {} }));
      expect(record.events).toEqual([...before.events, ...bare]);
      expect((await acme.fetch(SEPOLIA, wallet)).text).toBe(text);
      await causesNoTransaction(wallet, sent);
    },
  );

  it('removes the expiry from the record when another gatekeeper removed it', async () => {
    const wallet = await anActivePass(acme);
    await acme.update(SEPOLIA, wallet, { expiryTimestamp: inAnHour });
    await acme.watch(SEPOLIA, wallet, ({ events }) => events.at(-1)?.eventType === 'TOKEN_EXPIRY_CHANGED');
    await untilFinal();
    await changeAsOther({ setExpiration: 0 }, wallet);
    const { record } = await acme.sync(SEPOLIA, wallet);
    expect(record).not.toHaveProperty('expiryTimestamp');
    expect(record.events.slice(-2).map(({ eventType }) => eventType)).toEqual(Array(2).fill('TOKEN_EXPIRY_CHANGED'));
  });

  it('activates a rejected pass after another gatekeeper issued a token for it', async () => {
    const signer = signerNameOf(sepolia());
    const { wallet } = await aPass({ gatekeeperNetwork, state: 'REJECTED', signer, place: 'object' });
    expect((await acme.sync(SEPOLIA, wallet)).record.state).toBe('REJECTED');
    await issueAsOther(wallet, inAnHour);
    const { record } = await acme.sync(SEPOLIA, wallet);
    expect(record).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE', expiryTimestamp: inAnHour });
    expect(record.events.map(({ eventType }) => eventType)).toEqual([
      'TOKEN_ISSUED_INITIATED',
      'TOKEN_ISSUED_FAILED',
      'TOKEN_ISSUED',
    ]);
  });

  it('adopts the token of another gatekeeper for a requested pass, and issues no second token', async () => {
    const wallet = aWallet();
    await quietly.issue(SEPOLIA, wallet);
    expect((await quietly.sync(SEPOLIA, wallet)).record).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });
    await issueAsOther(wallet);
    const sent = await transactionCount('sepolia');
    expect((await quietly.sync(SEPOLIA, wallet)).record).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    await causesNoTransaction(wallet, sent);
    expect(await tokensOf(wallet)).toHaveLength(1);
  });

  it('shows the token of another gatekeeper on a revoked pass, until the partner revokes it again', async () => {
    const wallet = aWallet();
    await quietly.issue(SEPOLIA, wallet);
    await acme.revoke(SEPOLIA, wallet);
    await acme.watch(SEPOLIA, wallet, ({ events }) => events.at(-1)?.eventType === 'TOKEN_REVOKED');
    await issueAsOther(wallet);
    const sent = await transactionCount('sepolia');
    expect((await acme.sync(SEPOLIA, wallet)).record).toMatchObject({ state: 'REVOKED', onChainState: 'ACTIVE' });
    await causesNoTransaction(wallet, sent);
    expect((await acme.revoke(SEPOLIA, wallet)).record).toMatchObject({ state: 'REVOKED', onChainState: 'ACTIVE' });
    await acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'REVOKED');
    expect(await tokensOf(wallet)).toMatchObject([{ state: 'REVOKED' }]);
  });

  it.each([
    ['makes the wanted change', 'freeze', { state: 'FROZEN', onChainState: 'FROZEN' }, 'TOKEN_FROZEN'],
    ['makes the wanted change impossible', 'revoke', { state: 'REVOKED', onChainState: 'REVOKED' }, 'TOKEN_REVOKED'],
  ] as const)('sends nothing when another gatekeeper %s before the service acts', async (_, deed, shows, change) => {
    const wallet = await anActivePass(acme);
    await quietly.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await changeAsOther(deed, wallet);
    await untilFinal();
    const sent = await transactionCount('sepolia');
    const { record } = await quietly.sync(SEPOLIA, wallet);
    expect(record).toMatchObject(shows);
    expect(record.events.slice(2)).toEqual([{ eventType: change, timestamp: expect.any(Number), byOthers: {} }]);
    await causesNoTransaction(wallet, sent);
  });

  it('keeps a later change of the partner while it shows a change by another gatekeeper', async () => {
    const wallet = await anActivePass(acme);
    await quietly.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await changeAsOther({ setExpiration: inAnHour }, wallet);
    expect((await acme.sync(SEPOLIA, wallet)).record).toMatchObject({
      state: 'FROZEN',
      onChainState: 'ACTIVE',
      expiryTimestamp: inAnHour,
    });
    await acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'FROZEN');
  });
});

it('keeps a pass ACTIVE until a final block shows that its token was burned', async () => {
  const wallet = await anActivePass(acme);
  await withoutBlocks('sepolia', async () => {
    await changeAsOther('burn', wallet);
    const before = await acme.sync(SEPOLIA, wallet);
    expect([before.status, before.record]).toMatchObject([200, { state: 'ACTIVE', onChainState: 'ACTIVE' }]);
  });
  await untilFinal();
  expect((await acme.sync(SEPOLIA, wallet)).record).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
});

it('revokes the token on chain when the partner revokes a pass that a wrong reading had set to REVOKED', async () => {
  const wallet = await anActivePass(acme);
  const { known: onChain } = (await objectOf(wallet).readOnChain())?.question ?? {};
  await objectOf(wallet).adopt({ final: { state: 'NONE', asOf: onChain?.asOf } });
  expect((await objectOf(wallet).readPublication())?.state).toBe('REVOKED');
  expect((await acme.revoke(SEPOLIA, wallet)).record).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
  await acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'REVOKED');
  expect(await tokensOf(wallet)).toMatchObject([{ state: 'REVOKED' }]);
});

describe('a sync without a change', () => {
  it('changes nothing when the chain holds the known state', async () => {
    const wallet = await anActivePass(acme);
    const [record, row] = [(await acme.fetch(SEPOLIA, wallet)).text, await rowOf(wallet)];
    for (let asked = 0; asked < 3; asked += 1) {
      const { status, text } = await acme.sync(SEPOLIA, wallet);
      expect([status, text]).toEqual([200, record]);
    }
    expect(await rowOf(wallet)).toEqual(row);
  });

  it('lets a step in flight detect the change by itself', async () => {
    const wallet = await anActivePass(acme);
    await quietly.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await objectOf(wallet).pinStep();
    await changeAsOther('revoke', wallet);
    await untilFinal();
    const sent = await transactionCount('sepolia');
    const { status, record } = await quietly.sync(SEPOLIA, wallet);
    expect([status, record]).toMatchObject([200, { state: 'FROZEN', onChainState: 'ACTIVE' }]);
    await runDurableObjectAlarm(objectOf(wallet));
    await acme.watch(SEPOLIA, wallet, ({ state, onChainState }) => state === 'REVOKED' && onChainState === 'REVOKED');
    expect(await transactionCount('sepolia')).toBe(sent);
  });
});

describe('a sync that cannot read the chain', () => {
  afterEach(() => void vi.useRealTimers());

  /** Sets the clock eleven minutes ahead of the node, whose own clock may be ahead after many blocks. */
  const leaveNodeBehind = async () => {
    const { timestamp } = await callNodeOf<{ timestamp: string }>('sepolia', 'eth_getBlockByNumber', 'latest', false);
    const now = Math.max(Date.now(), Number(timestamp) * 1000) + 11 * 60_000;
    vi.useFakeTimers({ toFake: ['Date'], now });
  };

  it('returns 503 and changes nothing while the node is far behind', async () => {
    const wallet = await anActivePass(acme);
    await changeAsOther('revoke', wallet);
    const [record, row] = [(await acme.fetch(SEPOLIA, wallet)).text, await rowOf(wallet)];
    await leaveNodeBehind();
    expectProblem(await acme.sync(SEPOLIA, wallet), 'temporarily_unavailable');
    expect((await acme.fetch(SEPOLIA, wallet)).text).toBe(record);
    expect(await rowOf(wallet)).toEqual(row);
  });

  it('returns the record of a rejected pass, which has no token on chain', async () => {
    const signer = signerNameOf(sepolia());
    const { wallet } = await aPass({ gatekeeperNetwork, state: 'REJECTED', signer });
    const { text } = await acme.fetch(SEPOLIA, wallet);
    await leaveNodeBehind();
    const synced = await acme.sync(SEPOLIA, wallet);
    expect([synced.status, synced.text]).toEqual([200, text]);
    expect(synced.headers.get('gatepass-bookmark')).not.toBeNull();
  });

  it.each([
    ['its network is not enabled', { RPC_ENDPOINTS: '{}' }],
    [
      'its signer does not answer',
      { SIGNERS: { getByName: () => ({ readPasses: () => Promise.reject(new Error('away')) }) } },
    ],
  ])('returns the record of a rejected pass while %s', async (_, changes) => {
    const { wallet } = await aPass({ gatekeeperNetwork, state: 'REJECTED' });
    const { text } = await acme.fetch(SEPOLIA, wallet);
    const synced = await acme.through(workerWith(changes)).sync(SEPOLIA, wallet);
    expect([synced.status, synced.text]).toEqual([200, text]);
  });

  it('returns 400 when the network is not enabled', async () => {
    const wallet = await anActivePass(acme);
    const disabled = acme.through(workerWith({ RPC_ENDPOINTS: '{}' }));
    expectProblem(await disabled.sync(SEPOLIA, wallet), 'network_not_enabled');
  });
});
