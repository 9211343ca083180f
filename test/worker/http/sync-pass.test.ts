import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { signerNameOf } from '../../../src/config/signers.ts';
import { passName } from '../../../src/pass/pass.ts';
import { sepolia } from '../chain/ethereum/node.ts';
import { aPassOfWhich } from './a-pass-of-which.ts';
import { anActivePass } from './an-active-pass.ts';
import { partner, seeded, unheard, workerWith } from './api.ts';
import { transactionCount } from './node.ts';
import { another, anotherIssues, tokensOf, untilFinal } from './on-sepolia.ts';
import { aWallet } from './wallets.ts';

/** Reading the chain when a partner asks for it: another gatekeeper of the network was there too. */

const { PASSES, DB } = env as Env;
const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const { gatekeeperNetwork } = seeded('acme');
/** Nothing begins by itself: messages are lost. */
const quietly = acme.through(unheard);
const inAnHour = Math.floor(Date.now() / 1000) + 3600;

const objectOf = (wallet: string) =>
  PASSES.getByName(passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }));
const rowOf = (wallet: string) => DB.prepare('SELECT * FROM passes WHERE wallet = ?').bind(wallet).first();

/** Whatever is due for the wallet's pass has had its turn, and nothing was sent. */
async function causesNoTransaction(wallet: string, sent: number): Promise<void> {
  await runDurableObjectAlarm(objectOf(wallet));
  await anActivePass(acme);
  expect(await transactionCount('sepolia')).toBe(sent + 1);
}

describe('what another gatekeeper did', () => {
  it.each([
    ['froze it', ['freeze'], { state: 'FROZEN', onChainState: 'FROZEN' }, ['TOKEN_FROZEN']],
    ['froze and unfroze it', ['freeze', 'unfreeze'], { state: 'ACTIVE' }, ['TOKEN_FROZEN', 'TOKEN_UNFROZEN']],
    ['let it expire', [{ setExpiration: inAnHour }], { expiryTimestamp: inAnHour }, ['TOKEN_EXPIRY_CHANGED']],
    ['revoked it', ['revoke'], { state: 'REVOKED', onChainState: 'REVOKED' }, ['TOKEN_REVOKED']],
    ['burned it', ['burn'], { state: 'REVOKED', onChainState: 'NONE' }, ['TOKEN_REVOKED']],
  ] as const)('%s: known once it is asked for, and taken as wanted', async (_, deeds, shows, changes) => {
    const wallet = await anActivePass(acme);
    const before = (await acme.fetch(SEPOLIA, wallet)).record;
    const sent = await transactionCount('sepolia');
    for (const deed of deeds) {
      await another(deed, wallet);
      await untilFinal();
      expect((await acme.sync(SEPOLIA, wallet)).status).toBe(200);
    }
    const { record, text } = await acme.sync(SEPOLIA, wallet);
    expect(record).toMatchObject({ id: before.id, ...shows });
    const bare = changes.map((eventType) => ({ eventType, timestamp: expect.any(Number) }));
    expect(record.events).toEqual([...before.events, ...bare]);
    expect((await acme.fetch(SEPOLIA, wallet)).text).toBe(text);
    await causesNoTransaction(wallet, sent);
  });

  it('took its expiry away', async () => {
    const wallet = await anActivePass(acme);
    await acme.update(SEPOLIA, wallet, { expiryTimestamp: inAnHour });
    await acme.watch(SEPOLIA, wallet, ({ events }) => events.at(-1)?.eventType === 'TOKEN_EXPIRY_CHANGED');
    await untilFinal();
    await another({ setExpiration: 0 }, wallet);
    const { record } = await acme.sync(SEPOLIA, wallet);
    expect(record).not.toHaveProperty('expiryTimestamp');
    expect(record.events.slice(-2).map(({ eventType }) => eventType)).toEqual(Array(2).fill('TOKEN_EXPIRY_CHANGED'));
  });

  it('gave a token to a wallet whose pass had been rejected', async () => {
    const wallet = await aPassOfWhich(
      { gatekeeperNetwork },
      { type: 'failed', reason: 'the chain said no' },
      signerNameOf(sepolia()),
    );
    expect((await acme.sync(SEPOLIA, wallet)).record.state).toBe('REJECTED');
    await anotherIssues(wallet, inAnHour);
    const { record } = await acme.sync(SEPOLIA, wallet);
    expect(record).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE', expiryTimestamp: inAnHour });
    expect(record.events.map(({ eventType }) => eventType)).toEqual([
      'TOKEN_ISSUED_INITIATED',
      'TOKEN_ISSUED_FAILED',
      'TOKEN_ISSUED',
    ]);
  });

  it('gave a token to a wallet whose pass was only asked for: it gets no second one', async () => {
    const wallet = aWallet();
    await quietly.issue(SEPOLIA, wallet);
    expect((await quietly.sync(SEPOLIA, wallet)).record).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });
    await anotherIssues(wallet);
    const sent = await transactionCount('sepolia');
    expect((await quietly.sync(SEPOLIA, wallet)).record).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    await causesNoTransaction(wallet, sent);
    expect(await tokensOf(wallet)).toHaveLength(1);
  });

  it('gave a token to a wallet whose pass had been revoked: it stays, until that is revoked as well', async () => {
    const wallet = aWallet();
    await quietly.issue(SEPOLIA, wallet);
    await acme.revoke(SEPOLIA, wallet);
    await anotherIssues(wallet);
    const sent = await transactionCount('sepolia');
    expect((await acme.sync(SEPOLIA, wallet)).record).toMatchObject({ state: 'REVOKED', onChainState: 'ACTIVE' });
    await causesNoTransaction(wallet, sent);
    expect((await acme.revoke(SEPOLIA, wallet)).record).toMatchObject({ state: 'REVOKED', onChainState: 'ACTIVE' });
    await acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'REVOKED');
    expect(await tokensOf(wallet)).toMatchObject([{ state: 'REVOKED' }]);
  });

  it.each([
    ['does what is wanted already', 'freeze', { state: 'FROZEN', onChainState: 'FROZEN' }, 'TOKEN_FROZEN'],
    ['makes what is wanted impossible', 'revoke', { state: 'REVOKED', onChainState: 'REVOKED' }, 'TOKEN_REVOKED'],
  ] as const)('%s, before the service came to it', async (_, deed, shows, change) => {
    const wallet = await anActivePass(acme);
    await quietly.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await another(deed, wallet);
    const sent = await transactionCount('sepolia');
    const { record } = await quietly.sync(SEPOLIA, wallet);
    expect(record).toMatchObject(shows);
    expect(record.events.slice(2)).toEqual([{ eventType: change, timestamp: expect.any(Number) }]);
    await causesNoTransaction(wallet, sent);
  });

  it('leaves a wish that came later as it is', async () => {
    const wallet = await anActivePass(acme);
    await quietly.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await another({ setExpiration: inAnHour }, wallet);
    expect((await acme.sync(SEPOLIA, wallet)).record).toMatchObject({
      state: 'FROZEN',
      onChainState: 'ACTIVE',
      expiryTimestamp: inAnHour,
    });
    await acme.watch(SEPOLIA, wallet, ({ onChainState }) => onChainState === 'FROZEN');
  });
});

describe('nothing changes', () => {
  it('where the chain holds what is known', async () => {
    const wallet = await anActivePass(acme);
    const [record, row] = [(await acme.fetch(SEPOLIA, wallet)).text, await rowOf(wallet)];
    for (let asked = 0; asked < 3; asked += 1) {
      const { status, text } = await acme.sync(SEPOLIA, wallet);
      expect([status, text]).toEqual([200, record]);
    }
    expect(await rowOf(wallet)).toEqual(row);
  });

  it('while a step is under way: that one finds out', async () => {
    const wallet = await anActivePass(acme);
    await quietly.update(SEPOLIA, wallet, { state: 'FROZEN' });
    await objectOf(wallet).pinStep();
    await another('revoke', wallet);
    await untilFinal();
    const sent = await transactionCount('sepolia');
    const { status, record } = await quietly.sync(SEPOLIA, wallet);
    expect([status, record]).toMatchObject([200, { state: 'FROZEN', onChainState: 'ACTIVE' }]);
    await runDurableObjectAlarm(objectOf(wallet));
    await acme.watch(SEPOLIA, wallet, ({ state, onChainState }) => state === 'REVOKED' && onChainState === 'REVOKED');
    expect(await transactionCount('sepolia')).toBe(sent);
  });
});

describe('when the chain cannot be read', () => {
  afterEach(() => void vi.useRealTimers());

  it('the node is far behind: to be tried again, and nothing is changed', async () => {
    const wallet = await anActivePass(acme);
    await another('revoke', wallet);
    const [record, row] = [(await acme.fetch(SEPOLIA, wallet)).text, await rowOf(wallet)];
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11 * 60_000 });
    const { problem } = await acme.sync(SEPOLIA, wallet);
    expect([problem.status, problem.code]).toEqual([503, 'temporarily_unavailable']);
    expect((await acme.fetch(SEPOLIA, wallet)).text).toBe(record);
    expect(await rowOf(wallet)).toEqual(row);
  });

  it('because the network is not enabled: that is no matter of time', async () => {
    const wallet = await anActivePass(acme);
    const disabled = acme.through(workerWith({ RPC_ENDPOINTS: '{}' }));
    const { problem } = await disabled.sync(SEPOLIA, wallet);
    expect([problem.status, problem.code]).toEqual([400, 'network_not_enabled']);
  });
});
