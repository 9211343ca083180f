import { env } from 'cloudflare:workers';
import fc from 'fast-check';
import { expect, inject, it } from 'vitest';
import type { Chain } from '../../../src/network/network.ts';
import { PASS_STATES, type PassState } from '../../../src/pass/vocabulary.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import { searchPasses } from '../../../src/store/search.ts';
import { recording } from './recorder.ts';
import { aProjection, walletOf } from './rows.ts';

/** Searches with every filter, page by page, against a plain array. Passes are added and change between the pages. */

const ON = [
  { chain: 'ethereum', network: 'sepolia' },
  { chain: 'ethereum', network: 'baseSepolia' },
  { chain: 'solana', network: 'devnet' },
] as const;

/** A new pass, or another state of an existing one. */
const write = fc.record({
  wallet: fc.nat(5),
  on: fc.constantFrom(...ON),
  state: fc.constantFrom(...PASS_STATES),
  network: fc.constantFrom('ours', 'theirs'),
});
type Write = typeof write extends fc.Arbitrary<infer T> ? T : never;

const search = fc.record({
  state: fc.option(fc.constantFrom(...PASS_STATES), { nil: undefined }),
  on: fc.option(fc.constantFrom(...ON), { nil: undefined }),
  wallet: fc.option(fc.nat(5).map(walletOf), { nil: undefined }),
  limit: fc.integer({ min: 1, max: 7 }),
  skip: fc.oneof(fc.constant(0), fc.nat(6)),
});

/** The read model as a plain array. */
class Model {
  readonly rows: Publication[] = [];

  write({ wallet: number, on, state, network: gatekeeperNetwork }: Write): Publication {
    const wallet = walletOf(number);
    const index = this.rows.findIndex(
      ({ key }) => key.gatekeeperNetwork === gatekeeperNetwork && key.wallet === wallet && key.network === on.network,
    );
    const version = (this.rows[index]?.version ?? 0) + 1;
    const place = index === -1 ? this.rows.length : index;
    const chain: Chain = on.chain;
    const row = aProjection(place, { gatekeeperNetwork, wallet, chain, network: on.network, state, version });
    this.rows[place] = row;
    return row;
  }

  find(wanted: (row: Publication) => boolean): Publication[] {
    return this.rows.filter((row) => row.key.gatekeeperNetwork === 'ours' && wanted(row)).toReversed();
  }
}

it('a search returns the passes that a plain array has, on every page, while passes are added', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(write, { maxLength: 40 }),
      fc.array(fc.array(write, { maxLength: 3 }), { minLength: 12, maxLength: 12 }),
      search,
      async (first, meanwhile, { limit, skip, ...wanted }) => {
        await env.DB.exec('DELETE FROM passes');
        const model = new Model();
        const publish = async (writes: readonly Write[]) =>
          publishPasses(
            env.DB,
            writes.map((each) => model.write(each)),
          );
        await publish(first);
        const { state, on, wallet } = wanted;
        let after: string | undefined;
        for (const writes of meanwhile) {
          const expected = model.find(
            ({ key, id, state: its }) =>
              (state === undefined || its === (state as PassState)) &&
              (on === undefined || (key.chain === on.chain && key.network === on.network)) &&
              (wallet === undefined || key.wallet === wallet) &&
              (after === undefined || id < after),
          );
          const from = after === undefined ? skip : 0;
          const { db, ran } = recording(env.DB);
          const { passes: found } = await searchPasses(db, {
            gatekeeperNetwork: 'ours',
            limit,
            skip: from,
            after,
            ...wanted,
          });
          expect(found.map(({ record }) => record)).toEqual(
            expected.slice(from, from + limit).map(({ record }) => record),
          );
          // Without a network, the passes of a wallet are sorted: at most one per network.
          const bound = wallet === undefined || on !== undefined ? 5 * limit + 1 : 2 * ON.length + 1;
          expect(ran[0]?.meta.rows_read).toBeLessThanOrEqual(bound + from);
          if (found.length < limit) return;
          after = found.at(-1)?.id;
          await publish(writes);
        }
      },
    ),
    { numRuns: inject('form') === 'long' ? 2_000 : 150 },
  );
}, 600_000);
