import { describe, expect, it } from 'vitest';
import { PassFailed, PassNotSettled } from '../../../client/src/gatepass.ts';
import type { Pass } from '../../../client/src/pass.ts';
import { freshWallet } from '../../../localnet/partner/fresh-wallet.ts';
import { aPassKey } from './a-pass-key.ts';
import { frontedGatepass, rejection } from './fronted-gatepass.ts';

/** What a partner does with the client, in Node and against the whole service. */

const { fronts, client, credentials } = frontedGatepass();

const allOf = async (passes: AsyncIterable<Pass>) => {
  const found: Pass[] = [];
  for await (const pass of passes) found.push(pass);
  return found;
};
const eventsOf = ({ events }: Pass) => events.map(({ eventType }) => eventType);

const BOTH = ['sepolia', 'devnet'] as const;

describe('a pass on each chain', () => {
  it.each(BOTH)('%s: is active when issueAndWait answers, and nobody has asked twice', async (network) => {
    const pass = await client().issueAndWait(aPassKey(network));
    expect(pass).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(eventsOf(pass)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
    expect(fronts.service.seen.map(({ method, headers }) => [method, headers.prefer])).toEqual([['POST', 'wait=20']]);
  });

  it.concurrent.each(BOTH)('%s: is led through its life, and each time the chain has it', async (network) => {
    const gatepass = client();
    const pass = await gatepass.issueAndWait(aPassKey(network));
    const expiryTimestamp = Math.floor(Date.now() / 1000) + 3_600;
    expect(await gatepass.updateAndWait(pass, { expiryTimestamp })).toMatchObject({ expiryTimestamp });
    const frozen = await gatepass.updateAndWait(pass, { state: 'FROZEN' });
    expect(frozen).toMatchObject({ id: pass.id, state: 'FROZEN', onChainState: 'FROZEN', expiryTimestamp });
    expect(eventsOf(frozen).slice(2)).toEqual([
      ...['TOKEN_EXPIRY_CHANGED_INITIATED', 'TOKEN_EXPIRY_CHANGED', 'TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN'],
    ]);
    expect(await gatepass.sync(pass)).toMatchObject({ id: pass.id, onChainState: 'FROZEN' });
    expect(await gatepass.revokeAndWait(pass)).toMatchObject({ state: 'REVOKED', onChainState: 'REVOKED' });
  });
});

describe('without waiting', () => {
  it('issue, get, update and revoke answer at once with what is wished, and get with nothing where there is no pass', async () => {
    const gatepass = client();
    const key = aPassKey();
    expect(await gatepass.get(key)).toBeUndefined();
    expect(await gatepass.issue(key)).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });
    expect(await gatepass.get(key)).toMatchObject(key);
    expect(await gatepass.get(key, { wait: 20 })).toMatchObject({ onChainState: 'ACTIVE' });
    expect(await gatepass.update(key, { state: 'FROZEN' })).toMatchObject({ state: 'FROZEN' });
    expect(await gatepass.revoke(key)).toMatchObject({ state: 'REVOKED' });
  });

  it('what was changed is seen: each call brings the newest bookmark along', async () => {
    const gatepass = client();
    const pass = await gatepass.issue(aPassKey());
    await gatepass.get(pass);
    const [issued, got] = fronts.service.seen;
    expect(issued?.headers['gatepass-bookmark']).toBeUndefined();
    expect(got?.headers['gatepass-bookmark']).toMatch(/^first-primary$|^DB\./);
  });
});

describe('passes()', () => {
  /** A partner that no other file asks for passes with: they come in the order of these. */
  const alone = () => client({ credentials: credentials({ clientId: 'globex', clientSecret: 'globex-secret' }) });

  it('goes through more than two pages, newest first, and asks no further than it is read', async () => {
    const gatepass = alone();
    const wallets = Array.from({ length: 5 }, () => freshWallet('devnet'));
    for (const wallet of wallets) await gatepass.issue(aPassKey('devnet', wallet));
    fronts.service.reset();
    const found: string[] = [];
    for await (const { walletAddress } of gatepass.passes({}, { pageSize: 2 })) {
      found.push(walletAddress);
      if (found.length === wallets.length) break;
    }
    expect(found).toEqual(wallets.toReversed());
    expect(fronts.service.seen).toHaveLength(3);
  });

  it('comes to an end, with every pass once', async () => {
    const gatepass = alone();
    const all = await gatepass.search({ limit: 100 });
    const found = await allOf(gatepass.passes({}, { pageSize: 2 }));
    expect(found.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(found.length).toBeGreaterThan(4);
  });

  it('takes a filter', async () => {
    const gatepass = client();
    const { walletAddress } = await gatepass.issueAndWait(aPassKey());
    expect(await allOf(gatepass.passes({ walletAddress, state: 'ACTIVE' }))).toHaveLength(1);
    expect(await allOf(gatepass.passes({ walletAddress, state: 'FROZEN' }))).toEqual([]);
  });
});

describe('a pass that does not become what was wished', () => {
  it('is an error with the pass and the reason when the chain refuses it', async () => {
    // No ERC-721 token can belong to it.
    const fault = await rejection(client().issueAndWait(aPassKey('sepolia', `0x${'0'.repeat(40)}`)));
    expect(fault).toBeInstanceOf(PassFailed);
    expect(fault).toMatchObject({ pass: { state: 'REJECTED', onChainState: 'NONE' }, reason: expect.any(String) });
  });

  it('is one when somebody else has changed it meanwhile', async () => {
    const gatepass = client();
    const key = aPassKey();
    const issued = rejection(gatepass.issueAndWait(key));
    await expect.poll(() => gatepass.get(key)).toBeDefined();
    await gatepass.revoke(key);
    expect(await issued).toBeInstanceOf(PassFailed);
    expect(await issued).toMatchObject({ pass: { state: 'REVOKED' } });
  });

  it('is another one when the time is over; the change goes on', async () => {
    const gatepass = client();
    const pass = await gatepass.issueAndWait(aPassKey());
    // It waits until the issuance is final.
    const fault = await rejection(gatepass.updateAndWait(pass, { state: 'FROZEN' }, { withinMs: 500 }));
    expect(fault).toBeInstanceOf(PassNotSettled);
    expect(await gatepass.updateAndWait(pass, { state: 'FROZEN' })).toMatchObject({ onChainState: 'FROZEN' });
  });
});
