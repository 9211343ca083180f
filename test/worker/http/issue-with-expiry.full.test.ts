import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Address } from '@solana/kit';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { issue as issueOnSolana } from '../../../src/chain/solana/gateway.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { passName } from '../../../src/pass/pass.ts';
import { expectProblem } from '../../problem.ts';
import { tokenOf } from '../chain/solana/issuing.ts';
import { acting, addressOf, aStep, byGatekeeper, untilFinal as finalOnSolana, rpc } from '../chain/solana/node.ts';
import { aPass, UNSENT } from './a-pass.ts';
import type { PassRecord } from './answer.ts';
import { partner, seededPartner } from './api.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { transactionCount } from './node.ts';
import { anActivePass, changeAsOther, issueAsOther, tokensOf, untilFinal } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/** Issuing with an expiry, from the request to the chain. */

const { PASSES } = env as Env;
const SEPOLIA = 'ethereum/sepolia';
const DEVNET = 'solana/devnet';
const LAST_SECOND = 253_402_300_799;
const acme = await partner('acme');
const { gatekeeperNetwork } = seededPartner('acme');

const now = () => Math.floor(Date.now() / 1000);
const [inAnHour, inADay, inAWeek] = [now() + 3600, now() + 24 * 3600, now() + 7 * 24 * 3600];
const expiring = (expiryTimestamp: number) => ({ expiryTimestamp });

const typesOf = ({ events }: PassRecord) => events.map(({ eventType }) => eventType);
const ends = (type: string) => (record: PassRecord) => typesOf(record).at(-1) === type;
const ISSUED = ['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED'];
const CHANGED = ['TOKEN_EXPIRY_CHANGED_INITIATED', 'TOKEN_EXPIRY_CHANGED'];

/** Runs all due work of the pass on sepolia, and issues another pass after it. */
async function doDueWork(wallet: Wallet): Promise<void> {
  await runDurableObjectAlarm(
    PASSES.getByName(passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet })),
  );
  await anActivePass(acme);
}

describe('an issuance with an expiry', () => {
  it('issues the token until that expiry with one transaction on Ethereum, also if the partner has a default lifetime', async () => {
    const lasting = await aPartner({ gatekeeperNetwork, passLifetime: 3600 });
    for (const api of [acme, lasting]) {
      const wallet = aWallet();
      const sent = await transactionCount('sepolia');
      const { status, record } = await api.issue(SEPOLIA, wallet, expiring(inADay));
      expect([status, record]).toMatchObject([202, { state: 'REQUESTED', expiryTimestamp: inADay }]);
      const active = (await acme.watch(SEPOLIA, wallet, ends('TOKEN_ISSUED'))).at(-1);
      expect(active).toMatchObject({ state: 'ACTIVE', expiryTimestamp: inADay });
      await untilFinal();
      const again = await api.issue(SEPOLIA, wallet, expiring(inADay));
      expect([again.status, again.record]).toEqual([202, active]);
      await doDueWork(wallet);
      // The other transaction issued the pass of `doDueWork`.
      expect(await transactionCount('sepolia')).toBe(sent + 2);
      expect((await acme.fetch(SEPOLIA, wallet)).record).toEqual(active);
      expect(await tokensOf(wallet)).toMatchObject([{ state: 'ACTIVE', expiry: inADay }]);
    }
  });

  it('issues the token until that expiry with one transaction on Solana', async () => {
    const step = aStep();
    const { wallet } = step.key;
    expect((await acme.issue(DEVNET, wallet, expiring(inADay))).record.expiryTimestamp).toBe(inADay);
    const active = (await acme.watch(DEVNET, wallet, ends('TOKEN_ISSUED'))).at(-1);
    await finalOnSolana();
    expect((await acme.issue(DEVNET, wallet, expiring(inADay))).record).toEqual(active);
    await runDurableObjectAlarm(PASSES.getByName(passName(step.key)));
    expect(await tokenOf(step)).toMatchObject({ state: 'ACTIVE', expiry: inADay });
    const { address } = await addressOf(step);
    expect(await rpc().getSignaturesForAddress(address).send()).toHaveLength(1);
  });
});

describe('an issuance with an expiry for a wallet that has a token', () => {
  it('adopts the token of another gatekeeper on Ethereum, and then sets the expiry with one transaction', async () => {
    const wallet = aWallet();
    await issueAsOther(wallet, inAnHour);
    await untilFinal();
    const sent = await transactionCount('sepolia');
    expect((await acme.issue(SEPOLIA, wallet, expiring(inADay))).record.expiryTimestamp).toBe(inADay);
    const changed = (await acme.watch(SEPOLIA, wallet, ends('TOKEN_EXPIRY_CHANGED'))).at(-1) as PassRecord;
    expect(changed).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE', expiryTimestamp: inADay });
    expect(typesOf(changed)).toEqual([...ISSUED, ...CHANGED]);
    expect(await transactionCount('sepolia')).toBe(sent + 1);
    expect(await tokensOf(wallet)).toMatchObject([{ state: 'ACTIVE', expiry: inADay }]);
  });

  it('adopts a token that already has the expiry without a transaction', async () => {
    const wallet = aWallet();
    await issueAsOther(wallet, inADay);
    await untilFinal();
    const sent = await transactionCount('sepolia');
    await acme.issue(SEPOLIA, wallet, expiring(inADay));
    await acme.watch(SEPOLIA, wallet, ends('TOKEN_ISSUED'));
    await doDueWork(wallet);
    expect(await transactionCount('sepolia')).toBe(sent + 1);
  });

  it('adopts the token on Solana, and then sets the expiry', async () => {
    const step = aStep();
    const wallet = step.key.wallet as string as Address;
    await byGatekeeper(issueOnSolana(await acting(step), wallet, await addressOf(step), inAnHour));
    await finalOnSolana();
    await acme.issue(DEVNET, wallet, expiring(inADay));
    const changed = (await acme.watch(DEVNET, wallet, ends('TOKEN_EXPIRY_CHANGED'))).at(-1) as PassRecord;
    expect(typesOf(changed)).toEqual([...ISSUED, ...CHANGED]);
    expect(await tokenOf(step)).toMatchObject({ state: 'ACTIVE', expiry: inADay });
  });

  it('compares a repeated issuance with the requested expiry, not with the one that others set', async () => {
    const wallet = aWallet();
    await acme.issue(SEPOLIA, wallet, expiring(inADay));
    await acme.watch(SEPOLIA, wallet, ends('TOKEN_ISSUED'));
    await untilFinal();
    await changeAsOther({ setExpiration: inAnHour }, wallet);
    await untilFinal();
    const { record } = await acme.sync(SEPOLIA, wallet);
    expect(record.expiryTimestamp).toBe(inAnHour);
    expectProblem(await acme.issue(SEPOLIA, wallet, expiring(inAnHour)), 'expiry_differs');
    for (const expiry of [expiring(inADay), {}]) {
      const { status, record: same } = await acme.issue(SEPOLIA, wallet, expiry);
      expect([status, same]).toEqual([202, record]);
    }
    // A PATCH requests the expiry that the chain already has.
    expect((await acme.update(SEPOLIA, wallet, expiring(inAnHour))).updated).toMatchObject(record);
    expect((await acme.issue(SEPOLIA, wallet, expiring(inAnHour))).record).toEqual(record);
    expectProblem(await acme.issue(SEPOLIA, wallet, expiring(inADay)), 'expiry_differs');
  });
});

describe('an issuance with an expiry for a wallet that has a pass', async () => {
  const own = newGatekeeperNetwork();
  const api = await aPartner({ gatekeeperNetwork: own });
  const walletOf = async (overrides: Partial<Parameters<typeof aPass>[0]>) =>
    (await aPass({ gatekeeperNetwork: own, ...UNSENT, ...overrides })).wallet;

  it.each([
    ['REQUESTED', {}],
    ['ACTIVE', {}],
    ['ACTIVE', { expiry: inAnHour }],
  ] as const)('refuses another expiry for a %s pass with %j, and names PATCH', async (state, overrides) => {
    const wallet = await walletOf({ state, ...overrides });
    const before = (await api.fetch(SEPOLIA, wallet)).text;
    expectProblem(await api.issue(SEPOLIA, wallet, expiring(inADay)), 'expiry_differs', { detail: 'PATCH' });
    expect((await api.fetch(SEPOLIA, wallet)).text).toBe(before);
    expect((await api.issue(SEPOLIA, wallet)).text).toBe(before);
    await api.update(SEPOLIA, wallet, expiring(inADay));
    expect((await api.issue(SEPOLIA, wallet, expiring(inADay))).status).toBe(202);
    expectProblem(await api.issue(SEPOLIA, wallet, expiring(inAWeek)), 'expiry_differs');
  });

  it.each`
    state        | code
    ${'FROZEN'}  | ${'pass_frozen'}
    ${'REVOKED'} | ${'pass_revoked'}
  `('refuses a $state pass with $code, not because of its expiry', async ({ state, code }) => {
    expectProblem(await api.issue(SEPOLIA, await walletOf({ state, expiry: inAnHour }), expiring(inADay)), code);
  });

  it('tries a REJECTED pass again with the expiry', async () => {
    const wallet = await walletOf({ state: 'REJECTED' });
    const { status, record } = await api.issue(SEPOLIA, wallet, expiring(inADay));
    expect([status, record]).toMatchObject([202, { state: 'REQUESTED', expiryTimestamp: inADay }]);
  });

  it.each([undefined, 3600])('renews an expired pass to the expiry if the default lifetime is %s', async (life) => {
    const wallet = await walletOf({ expiry: now() - 10 });
    const by = life === undefined ? api : await aPartner({ gatekeeperNetwork: own, passLifetime: life });
    const { status, record } = await by.issue(SEPOLIA, wallet, expiring(inADay));
    expect([status, record]).toMatchObject([202, { state: 'ACTIVE', expiryTimestamp: inADay }]);
    expectProblem(await by.issue(SEPOLIA, wallet, expiring(inAWeek)), 'expiry_differs');
  });
});

describe('the expiry of an issuance', async () => {
  const api = await aPartner();
  const key = await aPass({ gatekeeperNetwork: api.gatekeeperNetwork, ...UNSENT, expiry: now() - 10 });
  const { wallet: active } = key;
  // The alarm records that the pass has expired, which would look like a change.
  await runDurableObjectAlarm(PASSES.getByName(passName(key)));
  afterAll(() => void vi.useRealTimers());

  async function expectInvalid(expiryTimestamp: unknown, fieldDetail: RegExp): Promise<void> {
    const before = (await api.fetch(SEPOLIA, active)).text;
    for (const wallet of [aWallet(), active]) {
      const answer = await api.post(`/pass/${SEPOLIA}`, { walletAddress: wallet, expiryTimestamp });
      expectProblem(answer, 'invalid_request', { pointer: '/expiryTimestamp', fieldDetail });
      if (wallet !== active) expectProblem(await api.fetch(SEPOLIA, wallet), 'pass_not_found');
    }
    expect((await api.fetch(SEPOLIA, active)).text).toBe(before);
  }

  it.each([null, String(inAnHour), true, [inAnHour], {}, inAnHour + 0.5, 0, -1, LAST_SECOND + 1, 1e300, now() * 1e6])(
    'is refused if it is %j, and nothing changes',
    (expiry) => expectInvalid(expiry, /^must/),
  );

  it.each([
    ['an hour ago', -3600],
    ['a second ago', -1],
    ['now', 0],
  ])('is refused if it is %s, and nothing changes', async (_, seconds) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    await expectInvalid(now() + seconds, /future/);
    vi.useRealTimers();
  });

  it.each([
    ['two seconds away', () => now() + 2],
    ['the last second of the year 9999', () => LAST_SECOND],
  ])('is accepted if it is %s', async (_, expiry) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const expiryTimestamp = expiry();
    const { status, record } = await api.issue(SEPOLIA, aWallet(), { expiryTimestamp });
    expect([status, record.expiryTimestamp]).toEqual([202, expiryTimestamp]);
    vi.useRealTimers();
  });
});
