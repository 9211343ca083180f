import { beforeAll, describe, expect, it } from 'vitest';
import { BUILDS } from '../../../ops/network/gateway-build.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { LIFE_STAGES, runStage } from '../../../tools/localnet/partner/pass-life.ts';
import { ChainWitness } from '../chain-witness.ts';
import { pollUntil } from '../poll-until.ts';
import { anActivePass } from './an-active-pass.ts';
import type { Gatekeeper } from './gatekeeper.ts';
import { addGatekeeper, serviceGatekeeperOnSolana } from './other-gatekeeper.ts';
import { transactionsOf } from './pass-events.ts';
import { runGatepass } from './run-gatepass.ts';

/** How the service adopts the changes that other gatekeepers make on chain. */

describe.each(BUILDS)('with the contract %s', (contract) => {
  const { facts, acme } = runGatepass({}, { contract });
  const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);
  /** On Solana, the contract changes nothing. */
  const BOTH = contract === 'protocol' ? ['sepolia', 'devnet'] : ['sepolia'];
  const IN_A_YEAR = Math.floor(Date.now() / 1000) + 365 * 24 * 3600;

  const others: Record<string, Gatekeeper> = {};
  const another = (network: string) => others[network] as Gatekeeper;
  /** On Solana only the issuer of a token can freeze it. */
  const freezerOn = (network: string) =>
    network === 'devnet' ? serviceGatekeeperOnSolana(facts(), network, acme().gatekeeperNetwork) : another(network);

  beforeAll(async () => {
    for (const network of BOTH) others[network] = await addGatekeeper(facts(), network, acme().gatekeeperNetwork);
  });

  const anActivePassOn = (network: string) => anActivePass(acme(), chain, network);

  /** Syncs until the service adopts the foreign change, which it does only when its own steps are final. */
  function syncUntil(network: string, wallet: string, state: string) {
    return pollUntil(
      () => acme().sync(network, wallet),
      (pass) => pass.state === state,
    );
  }

  const eventsOf = ({ events }: PassRecord) => events.map(({ eventType }) => eventType);

  it.concurrent.each(BOTH)(
    'on %s an issuance adopts an existing token with its expiry, and sends no transaction',
    async (network) => {
      const wallet = freshWallet(network);
      await another(network).issue(wallet, IN_A_YEAR);
      await chain.makeFinal(network);
      await acme().issue(network, wallet);
      const pass = await acme().untilSettled(network, wallet);
      expect(pass).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE', expiryTimestamp: IN_A_YEAR });
      expect(eventsOf(pass)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
      expect(pass.events.at(-1)).toHaveProperty('byOthers');
      expect(transactionsOf(pass)).toEqual([]);
      expect(await chain.transactionsAbout(network, wallet)).toEqual([]);
    },
  );

  it.concurrent.each(BOTH)('on %s an issuance adopts a frozen token, and the pass becomes FROZEN', async (network) => {
    const wallet = freshWallet(network);
    await another(network).issue(wallet);
    await another(network).freeze(wallet);
    await chain.makeFinal(network);
    await acme().issue(network, wallet);
    const pass = await acme().untilSettled(network, wallet);
    expect(pass).toMatchObject({ state: 'FROZEN', onChainState: 'FROZEN' });
    expect(eventsOf(pass)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED', 'TOKEN_FROZEN']);
    expect(await chain.transactionsAbout(network, wallet)).toEqual([]);
  });

  if (contract === 'protocol')
    it.concurrent('on Solana the service cannot freeze a token of another gatekeeper, but can change its expiry and revoke it', async () => {
      const wallet = freshWallet('devnet');
      await another('devnet').issue(wallet);
      await chain.makeFinal('devnet');
      await acme().issue('devnet', wallet);
      await acme().untilSettled('devnet', wallet);
      const isForeign = { status: 409, problem: { code: 'issued_by_another_gatekeeper' } };
      await expect(acme().update('devnet', wallet, { state: 'FROZEN' })).rejects.toMatchObject(isForeign);
      expect(await chain.accepts('devnet', wallet)).toBe(true);
      for (const stage of LIFE_STAGES.filter(({ name }) => name === 'new expiry' || name === 'revoke')) {
        const { state, expiryTimestamp: expiry } = await runStage(stage, acme(), 'devnet', wallet);
        expect(await chain.token('devnet', wallet)).toEqual({ state, expiry });
      }
      expect(await chain.accepts('devnet', wallet)).toBe(false);
      expect(await chain.transactionsAbout('devnet', wallet)).toHaveLength(2);
    });

  it.concurrent.each(BOTH)(
    'on %s a sync adopts a foreign freeze, and the partner can unfreeze the pass',
    async (network) => {
      const wallet = await anActivePassOn(network);
      await freezerOn(network).freeze(wallet);
      const frozen = await syncUntil(network, wallet, 'FROZEN');
      expect(frozen.onChainState).toBe('FROZEN');
      expect(eventsOf(frozen)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED', 'TOKEN_FROZEN']);
      expect(frozen.events.at(-1)).toHaveProperty('byOthers');
      expect(await acme().sync(network, wallet)).toEqual(frozen);

      await acme().update(network, wallet, { state: 'ACTIVE' });
      const pass = await acme().untilSettled(network, wallet);
      expect(eventsOf(pass).slice(3)).toEqual(['TOKEN_UNFROZEN_INITIATED', 'TOKEN_UNFROZEN']);
      expect(transactionsOf(pass)).toHaveLength(2);
      expect(await chain.accepts(network, wallet)).toBe(true);
    },
  );

  interface Check {
    readonly valid: boolean;
    readonly state: string;
    readonly pending?: true;
    readonly coveredUntil: number | null;
  }

  /** Asks the public check, which reads no chain. */
  async function check(network: string, wallet: string, query = ''): Promise<Check> {
    const chainName = network === 'devnet' ? 'solana' : 'ethereum';
    const path = `/verify/${acme().gatekeeperNetwork}/${chainName}/${network}/${wallet}`;
    return (await fetch(`${facts().baseUrl}${path}${query}`)).json() as Promise<Check>;
  }

  /** The promise of the documents: nobody asks the service to read the chain. */
  const SEEN_WITHIN_MS = 30_000;

  it.concurrent.each(BOTH)(
    'on %s a public check refuses a token that others froze within 30 s, and record and feed show who did it',
    async (network) => {
      const wallet = await anActivePassOn(network);
      const covered = ({ coveredUntil }: Check) => coveredUntil !== null;
      expect((await pollUntil(() => check(network, wallet), covered)).valid).toBe(true);
      const transaction = await freezerOn(network).freeze(wallet);
      expect(await chain.accepts(network, wallet)).toBe(false);
      const refused = await pollUntil(
        () => check(network, wallet),
        ({ valid }) => !valid,
        SEEN_WITHIN_MS,
      );
      // The record follows when the change is final.
      expect(refused).toMatchObject(refused.pending ? { state: 'ACTIVE' } : { state: 'FROZEN' });
      const pass = await pollUntil(
        () => acme().fetch(network, wallet),
        ({ state }) => state === 'FROZEN',
        SEEN_WITHIN_MS,
      );
      const event = {
        eventType: 'TOKEN_FROZEN',
        timestamp: expect.any(Number),
        transaction: { identifier: transaction, status: 'confirmed' },
        byOthers: expect.any(Object),
      };
      expect(pass).toMatchObject({ onChainState: 'FROZEN' });
      expect(pass.events.slice(2)).toEqual([event]);
      expect(await chain.transactionsAbout(network, wallet)).toEqual(
        network === 'devnet' ? [...transactionsOf(pass), transaction] : transactionsOf(pass),
      );
      const now = await check(network, wallet);
      expect(now).toMatchObject({ valid: false, state: 'FROZEN' });
      expect(now).not.toHaveProperty('pending');
      const { events } = await acme().call<{ events: { data?: { event: object; pass: PassRecord } }[] }>(
        'GET',
        '/events?type=pass.frozen&limit=1000',
      );
      const entries = events.flatMap(({ data }) => (data?.pass.walletAddress === wallet ? [data.event] : []));
      expect(entries).toEqual([event]);
    },
  );

  it.concurrent.each(BOTH)(
    'on %s a public check refuses a burned token within 30 s, and the pass becomes REVOKED',
    async (network) => {
      const wallet = await anActivePassOn(network);
      await pollUntil(
        () => check(network, wallet),
        ({ coveredUntil }) => coveredUntil !== null,
      );
      const transaction = await another(network).burn(wallet);
      await pollUntil(
        () => check(network, wallet),
        ({ valid }) => !valid,
        SEEN_WITHIN_MS,
      );
      const pass = await pollUntil(
        () => acme().fetch(network, wallet),
        ({ state }) => state === 'REVOKED',
        SEEN_WITHIN_MS,
      );
      expect(pass.onChainState).toBe('NONE');
      expect(pass.events.at(-1)).toMatchObject({
        eventType: 'TOKEN_REVOKED',
        transaction: { identifier: transaction },
      });
      expect(pass.events.at(-1)).toHaveProperty('byOthers');
      expect(await check(network, wallet)).toMatchObject({ valid: false, state: 'NONE' });
    },
  );

  it.concurrent.each(BOTH)(
    'on %s a caller may demand that the chain is covered to the last minute',
    async (network) => {
      const wallet = await anActivePassOn(network);
      let askedAt = 0;
      const answer = await pollUntil(
        () => {
          askedAt = Date.now() / 1_000;
          return check(network, wallet, '?maxAge=60');
        },
        (body) => 'valid' in body,
        SEEN_WITHIN_MS,
      );
      expect(answer.valid).toBe(true);
      expect(askedAt - Number(answer.coveredUntil)).toBeLessThan(62);
    },
  );

  it.concurrent.each(BOTH)(
    'on %s a sync makes the pass of a burned token REVOKED, and the partner cannot issue it again',
    async (network) => {
      const wallet = await anActivePassOn(network);
      await another(network).burn(wallet);
      const pass = await syncUntil(network, wallet, 'REVOKED');
      expect(pass.onChainState).toBe('NONE');
      expect(eventsOf(pass)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED', 'TOKEN_REVOKED']);
      expect(pass.events.at(-1)).toHaveProperty('byOthers');
      expect(transactionsOf(pass)).toHaveLength(1);
      const isOver = { status: 409, problem: { code: 'pass_revoked' } };
      await expect(acme().issue(network, wallet)).rejects.toMatchObject(isOver);
      expect(await chain.token(network, wallet)).toBeUndefined();
    },
  );

  // SlimGateway issues a wallet no second token.
  if (contract === 'protocol')
    it.concurrent.each(BOTH)('on %s a revocation revokes both tokens of the wallet', async (network) => {
      const wallet = await anActivePassOn(network);
      await another(network).issue(wallet, undefined, 1);
      await chain.makeFinal(network);
      await acme().revoke(network, wallet);
      const pass = await acme().untilSettled(network, wallet);
      expect(await chain.accepts(network, wallet)).toBe(false);
      expect(eventsOf(pass).slice(2)).toEqual(['TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED_INITIATED', 'TOKEN_REVOKED']);
      expect(pass.onChainState).toBe('REVOKED');
      expect(await chain.transactionsAbout(network, wallet)).toEqual(transactionsOf(pass));
    });

  if (contract === 'protocol')
    it.concurrent('on Ethereum a freeze freezes both tokens of the wallet, and after an unfreeze a dApp accepts the wallet again', async () => {
      const wallet = await anActivePassOn('sepolia');
      await another('sepolia').issue(wallet);
      await acme().update('sepolia', wallet, { state: 'FROZEN' });
      const frozen = await acme().untilSettled('sepolia', wallet);
      expect(await chain.accepts('sepolia', wallet)).toBe(false);
      expect(eventsOf(frozen).slice(2)).toEqual(['TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN_INITIATED', 'TOKEN_FROZEN']);
      await acme().update('sepolia', wallet, { state: 'ACTIVE' });
      const pass = await acme().untilSettled('sepolia', wallet);
      expect(await chain.accepts('sepolia', wallet)).toBe(true);
      expect(await chain.transactionsAbout('sepolia', wallet)).toEqual(transactionsOf(pass));
    });
});
