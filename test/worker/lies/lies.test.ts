import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openEthereum } from './ethereum-chain.ts';
import { beginLife, type Life } from './life.ts';
import { issueUnderLies, live } from './live.ts';
import { ETHEREUM_ATTACK, ETHEREUM_ROWS, SOLANA_ATTACK, SOLANA_ROWS } from './rows.ts';
import { openSolana } from './solana-chain.ts';
import { EXPIRY, NEIGHBOR_EXPIRY, useLyingEndpoints } from './use-lying-endpoints.ts';

/**
 * A table of lies over the whole life of a pass, from its issuance to its revocation. One of two endpoints lies. The
 * service may wait, but it does no harm, and every pass settles once the endpoint tells the truth again. The test checks the result
 * at the nodes, not at the service.
 */

/**
 * The tokens that a lying single endpoint can cause for a wallet. Ethereum: the issuance, and two more signatures after transactions
 * that seemed expired; then the signer holds the step. Solana: one at each address of the wallet.
 */
const MINTS_MAX = { Ethereum: 3, Solana: 5 } as const;
const ATTACK_TURNS = 24;

const HOUR_MS = 3_600_000;
/** Lives at a time. */
const GROUP = 60;
/** A machine beside other work takes several times as long as an idle one, whose short form takes 40 s. */
const TIMEOUT_MS = inject('form') === 'long' ? HOUR_MS : 600_000;

useLyingEndpoints();

describe.each([
  { chain: 'Ethereum', open: openEthereum, rows: ETHEREUM_ROWS, attack: ETHEREUM_ATTACK },
  { chain: 'Solana', open: openSolana, rows: SOLANA_ROWS, attack: SOLANA_ATTACK },
] as const)('on $chain', ({ chain: name, open, rows, attack }) => {
  let chain: Awaited<ReturnType<typeof open>>;
  const lives = new Map<string, Life>();

  beforeAll(async () => {
    chain = await open(NEIGHBOR_EXPIRY, EXPIRY);
    for (let from = 0; from < rows.length; from += GROUP) {
      const group: Life[] = [];
      for (const row of rows.slice(from, from + GROUP)) group.push(await beginLife(chain, row));
      await live(chain, group, EXPIRY);
      for (const life of group) lives.set(life.row.title, life);
    }
  }, TIMEOUT_MS);
  afterAll(() => chain.close());

  it.each(rows.map(({ title }) => title))('a pass takes no harm when %s', (title) => {
    expect(lives.get(title)?.faults).toEqual([]);
  });

  it('a pass whose only endpoint attacks gets few tokens, and then no more', async () => {
    const { tokens, stuckReason } = await issueUnderLies(chain, await beginLife(chain, attack), ATTACK_TURNS);
    expect(tokens.at(-1)).toBeLessThanOrEqual(MINTS_MAX[name]);
    expect(tokens.at(-1)).toBe(tokens.at(-ATTACK_TURNS / 2));
    if (name === 'Ethereum') expect(stuckReason).toContain('nonces were signed for it');
  });
});
