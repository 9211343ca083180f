import { getGatewayTokenAddressForOwnerAndGatekeeperNetwork as tokenAddress } from '@identity.com/solana-gateway-ts';
import { PublicKey, SystemProgram } from '@solana/web3.js';
import { describe, expect, inject, it } from 'vitest';
import { PassFailed, PassNotSettled } from '../../../../packages/client/src/gatepass.ts';
import type { Pass } from '../../../../packages/client/src/pass.ts';
import { freshWallet } from '../../../../tools/localnet/partner/fresh-wallet.ts';
import { callNode } from '../../../call-node.ts';
import { pollUntil } from '../../poll-until.ts';
import { aPassKey } from './a-pass-key.ts';
import { rejectionOf, useProxiedGatepass } from './proxied-gatepass.ts';

/** The client's methods for passes, run in Node against the whole service. */

const { proxies, client, credentials } = useProxiedGatepass();

const allOf = async (passes: AsyncIterable<Pass>) => {
  const found: Pass[] = [];
  for await (const pass of passes) found.push(pass);
  return found;
};
/** Puts lamports at every address where the wallet may have a gateway token. The program then cannot create a token there. */
async function occupyAddresses(wallet: string): Promise<void> {
  const { rpc, partners } = inject('gatepass');
  const gatekeeperNetwork = new PublicKey(partners[0]?.gatekeeperNetwork ?? '');
  const account = { lamports: 1_000_000, owner: SystemProgram.programId.toBase58() };
  for (const index of [0, 1, 2, 3, 4]) {
    const address = tokenAddress(new PublicKey(wallet), gatekeeperNetwork, index);
    await callNode(rpc.devnet ?? '', 'localnet_setAccount', [address.toBase58(), account]);
  }
}

const eventsOf = ({ events }: Pass) => events.map(({ eventType }) => eventType);

const BOTH = ['sepolia', 'devnet'] as const;

describe('methods that wait', () => {
  it.each(BOTH)('on %s issueAndWait needs one request and resolves to an active pass', async (network) => {
    const pass = await client().issueAndWait(aPassKey(network));
    expect(pass).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    expect(eventsOf(pass)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
    expect(proxies.service.requests.map(({ method, headers }) => [method, headers.prefer])).toEqual([
      ['POST', 'wait=20'],
    ]);
  });

  it.concurrent.each(BOTH)(
    'on %s issueAndWait with an expiry needs one transaction, and refuses another expiry',
    async (network) => {
      const gatepass = client();
      const key = aPassKey(network);
      const expiryTimestamp = Math.floor(Date.now() / 1000) + 3_600;
      const pass = await gatepass.issueAndWait(key, { expiryTimestamp });
      expect(pass).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE', expiryTimestamp });
      expect(eventsOf(pass)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
      expect(await gatepass.issue(key, { expiryTimestamp })).toEqual(pass);
      const fault = await rejectionOf(gatepass.issue(key, { expiryTimestamp: expiryTimestamp + 1 }));
      expect(fault).toMatchObject({ status: 409, code: 'expiry_differs' });
    },
  );

  it.concurrent.each(BOTH)(
    'on %s updateAndWait and revokeAndWait resolve once the change is on chain',
    async (network) => {
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
    },
  );
});

describe('methods that do not wait', () => {
  it('issue, update and revoke resolve to the wanted state at once, and get resolves to undefined if no pass exists', async () => {
    const gatepass = client();
    const key = aPassKey();
    expect(await gatepass.get(key)).toBeUndefined();
    expect(await gatepass.issue(key)).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });
    expect(await gatepass.get(key)).toMatchObject(key);
    expect(await gatepass.get(key, { wait: 20 })).toMatchObject({ onChainState: 'ACTIVE' });
    expect(await gatepass.update(key, { state: 'FROZEN' })).toMatchObject({ state: 'FROZEN' });
    expect(await gatepass.revoke(key)).toMatchObject({ state: 'REVOKED' });
  });

  it('each call sends the newest bookmark, so that it sees the previous change', async () => {
    const gatepass = client();
    const pass = await gatepass.issue(aPassKey());
    await gatepass.get(pass);
    const [issued, got] = proxies.service.requests;
    expect(issued?.headers['gatepass-bookmark']).toBeUndefined();
    expect(got?.headers['gatepass-bookmark']).toMatch(/^first-primary$|^DB\./);
  });
});

describe('passes()', () => {
  /** Returns a client of a partner for which no other file issues passes at the shared service, so that their order is known. */
  const alone = () => client({ credentials: credentials({ clientId: 'globex', clientSecret: 'globex-secret' }) });

  it('passes() returns the newest pass first, and fetches a page only when the caller reads it', async () => {
    const gatepass = alone();
    const wallets = Array.from({ length: 5 }, () => freshWallet('devnet'));
    for (const wallet of wallets) await gatepass.issue(aPassKey('devnet', wallet));
    proxies.service.reset();
    const found: string[] = [];
    for await (const { walletAddress } of gatepass.passes({}, { pageSize: 2 })) {
      found.push(walletAddress);
      if (found.length === wallets.length) break;
    }
    expect(found).toEqual(wallets.toReversed());
    expect(proxies.service.requests).toHaveLength(3);
  });

  it('passes() returns every pass once and then ends', async () => {
    const gatepass = alone();
    const all = await gatepass.search({ limit: 100 });
    const found = await allOf(gatepass.passes({}, { pageSize: 2 }));
    expect(found.map(({ id }) => id)).toEqual(all.map(({ id }) => id));
    expect(found.length).toBeGreaterThan(4);
  });

  it('passes() returns only passes that match the filter', async () => {
    const gatepass = client();
    const { walletAddress } = await gatepass.issueAndWait(aPassKey());
    expect(await allOf(gatepass.passes({ walletAddress, state: 'ACTIVE' }))).toHaveLength(1);
    expect(await allOf(gatepass.passes({ walletAddress, state: 'FROZEN' }))).toEqual([]);
  });
});

describe('passes that do not settle as wanted', () => {
  it('issueAndWait throws PassFailed with the pass and the reason when the chain refuses the token', async () => {
    const key = aPassKey('devnet');
    await occupyAddresses(key.walletAddress);
    const fault = await rejectionOf(client().issueAndWait(key));
    expect(fault).toBeInstanceOf(PassFailed);
    expect(fault).toMatchObject({ pass: { state: 'REJECTED', onChainState: 'NONE' }, reason: expect.any(String) });
  });

  it('issueAndWait throws PassFailed when another client revokes the pass during the wait', async () => {
    const gatepass = client();
    const revokeDuringWait = async () => {
      const key = aPassKey();
      const issued = rejectionOf(gatepass.issueAndWait(key));
      await expect.poll(() => gatepass.get(key)).toBeDefined();
      const { onChainState } = await gatepass.revoke(key);
      return { onChainState, fault: await issued };
    };
    // On a busy machine, the wait may end before the revocation, and then another pass follows.
    const { fault } = await pollUntil(revokeDuringWait, ({ onChainState }) => onChainState === 'NONE');
    expect(fault).toBeInstanceOf(PassFailed);
    expect(fault).toMatchObject({ pass: { state: 'REVOKED' } });
  });

  it('updateAndWait throws PassNotSettled after its time limit, and the change continues', async () => {
    const gatepass = client();
    const pass = await gatepass.issueAndWait(aPassKey());
    // No answer tells that the freeze has ended, however soon the issuance is final.
    proxies.service.holdsAnswerTo = ({ method }) => method === 'GET';
    const fault = await rejectionOf(gatepass.updateAndWait(pass, { state: 'FROZEN' }, { withinMs: 500 }));
    expect(fault).toBeInstanceOf(PassNotSettled);
    proxies.service.reset();
    expect(await gatepass.updateAndWait(pass, { state: 'FROZEN' })).toMatchObject({ onChainState: 'FROZEN' });
  });
});
