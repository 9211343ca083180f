import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { Wallet } from '../../../src/network/wallet.ts';
import { passName } from '../../../src/pass/pass.ts';
import { expectProblem } from '../../problem.ts';
import { aPass, UNSENT } from './a-pass.ts';
import type { PassRecord } from './answer.ts';
import { partner, seededPartner, workerWithoutQueue } from './api.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { transactionCount, withoutBlocks } from './node.ts';
import { anActivePass, tokensOf } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/** Revocations, which are final. */

const { PASSES } = env as Env;
const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
/** Its messages are lost, so no work starts by itself. */
const quietly = acme.through(workerWithoutQueue);

const typesOf = ({ events }: PassRecord) => events.map(({ eventType }) => eventType);
const isOver = ({ onChainState }: PassRecord) => onChainState === 'REVOKED';

/** Issues a later pass. When it is on chain, the earlier ones have been processed. */
const theOthersTurn = () => anActivePass(acme);

describe('revoking an active pass', () => {
  it.each([
    ['DELETE', async (wallet: string) => (await acme.revoke(SEPOLIA, wallet)).record],
    ['PATCH', async (wallet: string) => (await acme.update(SEPOLIA, wallet, { state: 'REVOKED' })).updated],
  ])('revokes by %s, at once in the record and soon after on chain', async (_, revoke) => {
    const wallet = await anActivePass(acme);
    expect(await revoke(wallet)).toMatchObject({ state: 'REVOKED', onChainState: 'ACTIVE' });
    expect((await acme.fetch(SEPOLIA, wallet)).record.state).toBe('REVOKED');
    const revoked = (await acme.watch(SEPOLIA, wallet, isOver)).at(-1) as PassRecord;
    expect(typesOf(revoked).slice(2)).toEqual(['TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED']);
    expect(await tokensOf(wallet)).toMatchObject([{ state: 'REVOKED' }]);
  });

  it('revokes a pass once, however often the partner asks', async () => {
    const wallet = await anActivePass(acme);
    const sent = await transactionCount('sepolia');
    const answers = await Promise.all(Array.from({ length: 10 }, () => acme.revoke(SEPOLIA, wallet)));
    expect(answers.map(({ status, record }) => `${status} ${record.state}`)).toEqual(Array(10).fill('200 REVOKED'));
    await acme.watch(SEPOLIA, wallet, isOver);
    const { text: settled, record } = await acme.fetch(SEPOLIA, wallet);
    expect((await acme.revoke(SEPOLIA, wallet)).text).toBe(settled);
    expect((await acme.update(SEPOLIA, wallet, { state: 'REVOKED' })).updated).toEqual(record);
    await theOthersTurn();
    expect((await acme.fetch(SEPOLIA, wallet)).text).toBe(settled);
    expect(await transactionCount('sepolia')).toBe(sent + 2);
  });

  it('refuses to issue or change a revoked pass, and says that revoking is final', async () => {
    const wallet = await anActivePass(acme);
    await acme.revoke(SEPOLIA, wallet);
    for (const answer of [await acme.issue(SEPOLIA, wallet), await acme.update(SEPOLIA, wallet, { state: 'ACTIVE' })]) {
      expectProblem(answer, 'pass_revoked', { detail: /revoked.*final/ });
    }
    await acme.watch(SEPOLIA, wallet, isOver);
  });
});

describe('revoking a pass that is not on chain', () => {
  const object = (wallet: Wallet) =>
    PASSES.getByName(
      passName({
        gatekeeperNetwork: seededPartner('acme').gatekeeperNetwork,
        chain: 'ethereum',
        network: 'sepolia',
        wallet,
      }),
    );

  it('revokes a pass without a transaction when nothing was sent for it', async () => {
    const wallet = aWallet();
    await quietly.issue(SEPOLIA, wallet);
    const sent = await transactionCount('sepolia');
    const { status, record } = await acme.revoke(SEPOLIA, wallet);
    expect([status, record]).toMatchObject([200, { state: 'REVOKED', onChainState: 'NONE' }]);
    expect(record.events.slice(0, 2)).toEqual([
      { eventType: 'TOKEN_ISSUED_INITIATED', timestamp: expect.any(Number) },
      { eventType: 'TOKEN_ISSUED_FAILED', timestamp: expect.any(Number), reason: 'superseded' },
    ]);
    // Only a final block shows that no token needs a revocation.
    const isRevoked = ({ events }: PassRecord) => events.at(-1)?.eventType === 'TOKEN_REVOKED';
    const revoked = (await acme.watch(SEPOLIA, wallet, isRevoked)).at(-1) as PassRecord;
    expect(typesOf(revoked).slice(2)).toEqual(['TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED']);
    expect((await acme.revoke(SEPOLIA, wallet)).record).toEqual(revoked);
    await runDurableObjectAlarm(object(wallet));
    await theOthersTurn();
    expect((await acme.fetch(SEPOLIA, wallet)).record).toEqual(revoked);
    expect(await transactionCount('sepolia')).toBe(sent + 1);
    expect(await tokensOf(wallet)).toEqual([]);
  });

  it('revokes a pass without a transaction while its signer cannot send', async () => {
    // The gatekeeper has no authorization there, so the issuance waits.
    const api = await aPartner();
    const wallet = aWallet();
    const { record } = await api.issue(SEPOLIA, wallet);
    await theOthersTurn();
    const waiting = await api.fetch(SEPOLIA, wallet);
    expect(waiting.record).toEqual(record);
    expect((await api.revoke(SEPOLIA, wallet)).record).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
    const isWithdrawn = ({ events }: PassRecord) => events.at(-1)?.eventType === 'TOKEN_REVOKED';
    const revoked = (await api.watch(SEPOLIA, wallet, isWithdrawn)).at(-1) as PassRecord;
    expect(revoked).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
    expect(revoked.events.map(({ eventType, reason }) => [eventType, reason])).toEqual([
      ['TOKEN_ISSUED_INITIATED', undefined],
      ['TOKEN_ISSUED_FAILED', 'superseded'],
      ['TOKEN_REVOKED_INITIATED', undefined],
      ['TOKEN_REVOKED', undefined],
    ]);
  });

  it('revokes a pass after its transaction in flight is mined', async () => {
    const wallet = aWallet();
    await withoutBlocks('sepolia', async () => {
      await acme.issue(SEPOLIA, wallet);
      await acme.watch(SEPOLIA, wallet, ({ events }) => events[0]?.transaction?.status === 'sent');
      expect((await acme.revoke(SEPOLIA, wallet)).record).toMatchObject({ state: 'REVOKED', onChainState: 'NONE' });
    });
    const seen = await acme.watch(SEPOLIA, wallet, isOver);
    for (const { state } of seen) expect(state).toBe('REVOKED');
    expect(typesOf(seen.at(-1) as PassRecord)).toEqual([
      'TOKEN_ISSUED_INITIATED',
      'TOKEN_ISSUED',
      'TOKEN_REVOKED_INITIATED',
      'TOKEN_REVOKED',
    ]);
    expect(await tokensOf(wallet)).toMatchObject([{ state: 'REVOKED' }]);
  });

  it('refuses to revoke a rejected pass', async () => {
    const gatekeeperNetwork = newGatekeeperNetwork();
    const api = await aPartner({ gatekeeperNetwork });
    const { wallet } = await aPass({ gatekeeperNetwork, state: 'REJECTED', ...UNSENT });
    const before = (await api.fetch(SEPOLIA, wallet)).text;
    for (const answer of [await api.revoke(SEPOLIA, wallet), await api.update(SEPOLIA, wallet, { state: 'REVOKED' })]) {
      expectProblem(answer, 'pass_rejected');
    }
    expect((await api.fetch(SEPOLIA, wallet)).text).toBe(before);
  });
});
