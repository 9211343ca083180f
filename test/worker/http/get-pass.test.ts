import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { publishPasses } from '../../../src/store/passes.ts';
import { expectProblem } from '../../problem.ts';
import { aProjection, idOf } from '../store/rows.ts';
import { partner, seededPartner } from './api.ts';
import { aWallet, SOLANA_WALLET, wrongChecksum } from './wallets.ts';

/** Fetching the pass of a wallet. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const globex = await partner('globex');
const { gatekeeperNetwork } = seededPartner('acme');

const wallet = aWallet();
const onSolana = { chain: 'solana', network: 'devnet', wallet: SOLANA_WALLET } as const;
const stored = aProjection(1, { gatekeeperNetwork, wallet });
const storedOnSolana = aProjection(2, { gatekeeperNetwork, ...onSolana });
await publishPasses(env.DB, [stored, storedOnSolana]);

const encoded = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');

describe('GET of a stored pass', () => {
  it.each([
    ['as it was issued', SEPOLIA, wallet],
    ['in lower case', SEPOLIA, wallet.toLowerCase()],
    ['in upper case', SEPOLIA, `0x${wallet.slice(2).toUpperCase()}`],
    ['percent-encoded', SEPOLIA, encoded(wallet)],
    ['under a percent-encoded network', 'ethereum/sepoli%61', wallet],
    ['under a percent-encoded chain', '%65thereum/sepolia', wallet],
  ])('finds a pass by its wallet %s', async (_, on, form) => {
    const { status, text, record } = await acme.fetch(on, form);
    expect(status).toBe(200);
    expect(record.id).toBe(idOf(1));
    expect(JSON.parse(text)).toEqual({ ...JSON.parse(stored.record), valid: true });
  });

  it('finds a pass on a network that is not enabled', async () => {
    expect((await acme.fetch('solana/devnet', SOLANA_WALLET)).record.id).toBe(idOf(2));
  });

  it('returns 404 for the same wallet on another network', async () => {
    expectProblem(await acme.fetch('ethereum/baseSepolia', wallet), 'pass_not_found');
  });
});

describe('GET of a pass of another gatekeeper network', () => {
  it('returns 404 for a pass that exists only in the pass object of another gatekeeper network', async () => {
    const fresh = aWallet();
    await acme.issue(SEPOLIA, fresh);
    expectProblem(await globex.fetch(SEPOLIA, fresh), 'pass_not_found');
    await globex.issue(SEPOLIA, fresh);
    const ids = [(await acme.fetch(SEPOLIA, fresh)).record.id, (await globex.fetch(SEPOLIA, fresh)).record.id];
    expect(new Set(ids).size).toBe(2);
  });
});

describe('GET of a malformed wallet', () => {
  it.each([
    [SEPOLIA, wrongChecksum(wallet)],
    [SEPOLIA, wallet.slice(0, -1)],
    [SEPOLIA, SOLANA_WALLET],
    [SEPOLIA, '%E0%A4%A'],
    [SEPOLIA, '%'],
    [SEPOLIA, '%ff'],
    [SEPOLIA, '%00'],
    [SEPOLIA, 'a%2Fb'],
    ['solana/devnet', wallet],
    ['solana/devnet', '%zz'],
  ])('refuses a malformed wallet on %s: %s', async (on, malformed) => {
    expectProblem(await acme.fetch(on, malformed), 'invalid_wallet', { pointers: ['/wallet'] });
  });

  it.each(['%/sepolia', 'ethereum/%E0%A4%A', '%ff/%ff'])(
    'returns unknown_network when the chain and network cannot be decoded: %s',
    async (on) => {
      for (const answer of [await acme.fetch(on, wallet), await acme.issue(on, wallet)]) {
        expectProblem(answer, 'unknown_network');
      }
    },
  );
});

it('asks the pass object when the read model has no row, and restores the row', async () => {
  const lost = aWallet();
  await acme.issue(SEPOLIA, lost);
  await acme.watch(SEPOLIA, lost, ({ state }) => state === 'ACTIVE');
  const row = env.DB.prepare('SELECT * FROM passes WHERE wallet = ?').bind(lost);
  const before = await row.first();
  await env.DB.prepare('DELETE FROM passes WHERE wallet = ?').bind(lost).run();
  expect(await row.first()).toBeNull();

  const { status, record } = await acme.fetch(SEPOLIA, lost);
  expect([status, record.state]).toEqual([200, 'ACTIVE']);
  expect(await row.first()).toEqual(before);
});
