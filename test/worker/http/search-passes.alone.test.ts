import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { PassState } from '../../../src/pass/vocabulary.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { expectProblem } from '../../problem.ts';
import { aProjection, idOf, walletOf } from '../store/rows.ts';
import type { Answer } from './answer.ts';
import { partner, seededPartner } from './api.ts';
import { aPartner } from './issuer.ts';
import { SOLANA_WALLET, wrongChecksum } from './wallets.ts';

/** Search over 130 passes of acme, mixed with 10 of globex. */

const acme = await partner('acme');
const globex = await partner('globex');
const EVM_WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const STATES = ['REQUESTED', 'ACTIVE', 'FROZEN', 'REVOKED', 'REJECTED'] as const;

const ours = Array.from({ length: 130 }, (_, number) => {
  const on = { gatekeeperNetwork: seededPartner('acme').gatekeeperNetwork, state: STATES[number % 5] as PassState };
  const networks = ['mainnet', 'polygonMainnet', 'sepolia', 'baseSepolia', 'bscMainnet', 'xdcMainnet', 'sonicMainnet'];
  if (number % 20 === 3) return { ...on, wallet: EVM_WALLET, network: networks[(number - 3) / 20] as string };
  if (number === 50) return { ...on, chain: 'solana', network: 'devnet', wallet: SOLANA_WALLET } as const;
  return on;
}).map((overrides, number) => aProjection(2 * number, overrides));
const theirs = Array.from({ length: 10 }, (_, number) =>
  aProjection(20 * number + 1, {
    gatekeeperNetwork: seededPartner('globex').gatekeeperNetwork,
    wallet: walletOf(number),
  }),
);
// Not in the order of the reply.
await publishPasses(env.DB, [...theirs, ...ours.toSorted((a, b) => (a.record < b.record ? 1 : -1))]);

const newestFirst = ours.map(({ id }) => id).toReversed();
const idsIn = ({ records }: Answer) => records.map(({ id }) => id);
const idsWhere = (holds: (pass: (typeof ours)[number]) => boolean) =>
  ours
    .filter(holds)
    .map(({ id }) => id)
    .toReversed();

describe('a search without a filter', () => {
  it.each([
    ['no body', undefined],
    ['{}', '{}'],
    ['an empty filter', '{"filter":{}}'],
    ['skip 0', '{"skip":0}'],
  ])('returns the newest 20 passes for %s', async (_, text) => {
    const answer = text === undefined ? await acme.call('POST', '/pass') : await acme.postText('/pass', text);
    expect(answer.status).toBe(200);
    expect(idsIn(answer)).toEqual(newestFirst.slice(0, 20));
  });

  it('returns the stored records and nothing else', async () => {
    const answer = await acme.search({ limit: 3 });
    const records = ours.slice(-3).map(({ record, state }) => ({ ...JSON.parse(record), valid: state === 'ACTIVE' }));
    expect(JSON.parse(answer.text)).toEqual({ records: records.toReversed(), next: newestFirst[2] });
  });

  it('shows each partner only the passes of its own gatekeeper network', async () => {
    expect(idsIn(await globex.search({ limit: 100 }))).toEqual(theirs.map(({ id }) => id).toReversed());
    const { gatekeeperNetwork } = seededPartner('acme');
    const colleague = await aPartner({ gatekeeperNetwork });
    expect(idsIn(await colleague.search({}))).toEqual(newestFirst.slice(0, 20));
    expect((await (await aPartner()).search({})).records).toEqual([]);
  });
});

describe('the pages of a search', () => {
  const bySkip = async (limit: number) => {
    const all: string[] = [];
    for (let skip = 0; skip <= ours.length; skip += limit) all.push(...idsIn(await acme.search({ limit, skip })));
    return all;
  };
  const byAfter = async (limit: number) => {
    const all: string[] = [];
    for (;;) {
      const after = all.at(-1);
      const page = idsIn(await acme.search({ limit, ...(after ? { after } : {}) }));
      all.push(...page);
      if (page.length < limit) return all;
    }
  };

  it.each([7, 65, 100])('returns the whole list in pages of %i, by skip and by after', async (limit) => {
    expect(await bySkip(limit)).toEqual(newestFirst);
    expect(await byAfter(limit)).toEqual(newestFirst);
  });

  it('pages by after within a filter', async () => {
    const active = idsWhere(({ state }) => state === 'ACTIVE');
    const page = await acme.search({ limit: 5, after: active[9], filter: { state: 'ACTIVE' } });
    expect(idsIn(page)).toEqual(active.slice(10, 15));
  });

  it('continues after an id that need not belong to the partner', async () => {
    const expected = ours.filter(({ id }) => id < idOf(41)).map(({ id }) => id);
    expect(idsIn(await acme.search({ after: idOf(41), limit: 100 }))).toEqual(expected.toReversed());
    expect(idsIn(await acme.search({ after: idOf(41).toUpperCase(), limit: 100 }))).toEqual(expected.toReversed());
    expect((await acme.search({ after: '00000000-0000-7000-8000-000000000000' })).records).toEqual([]);
  });

  it.each`
    body                          | count
    ${{ limit: 1 }}               | ${1}
    ${{ limit: 100 }}             | ${100}
    ${{ limit: 100, skip: 129 }}  | ${1}
    ${{ limit: 1, skip: 10_000 }} | ${0}
  `('returns $count passes for $body', async ({ body, count }) =>
    expect((await acme.search(body)).records).toHaveLength(count),
  );
});

describe('the filter of a search', () => {
  it.each(STATES)('filters by the state %s', async (state) => {
    const found = await acme.search({ limit: 100, filter: { state } });
    expect(idsIn(found)).toEqual(idsWhere((pass) => pass.state === state));
  });

  const ofWallet = (wallet: string) => idsWhere(({ key }) => key.wallet === wallet);

  it.each`
    form            | walletAddress                               | wallet
    ${'EIP-55'}     | ${EVM_WALLET}                               | ${EVM_WALLET}
    ${'lower case'} | ${EVM_WALLET.toLowerCase()}                 | ${EVM_WALLET}
    ${'upper case'} | ${`0x${EVM_WALLET.slice(2).toUpperCase()}`} | ${EVM_WALLET}
    ${'base58'}     | ${SOLANA_WALLET}                            | ${SOLANA_WALLET}
  `('filters by a wallet in $form form', async ({ walletAddress, wallet }) => {
    expect(ofWallet(wallet)).not.toHaveLength(0);
    expect(idsIn(await acme.search({ filter: { walletAddress } }))).toEqual(ofWallet(wallet));
  });

  it('filters by wallet and state together', async () => {
    const both = { walletAddress: EVM_WALLET, state: 'REVOKED' };
    expect(idsIn(await acme.search({ filter: both }))).toEqual(ofWallet(EVM_WALLET));
    expect((await acme.search({ filter: { ...both, state: 'ACTIVE' } })).records).toEqual([]);
  });

  const SEPOLIA = { type: 'ethereum', network: 'sepolia' };
  const isOnSepolia = ({ key }: (typeof ours)[number]) => key.network === 'sepolia';

  it.each`
    filter                         | wanted                                                              | expected
    ${'a network'}                 | ${{ chain: SEPOLIA }}                                               | ${idsWhere(isOnSepolia)}
    ${'a network and a state'}     | ${{ chain: SEPOLIA, state: 'FROZEN' }}                              | ${idsWhere((pass) => isOnSepolia(pass) && pass.state === 'FROZEN')}
    ${'a network and a wallet'}    | ${{ chain: SEPOLIA, walletAddress: EVM_WALLET }}                    | ${idsWhere((pass) => isOnSepolia(pass) && pass.key.wallet === EVM_WALLET)}
    ${'a network of Solana'}       | ${{ chain: { type: 'solana', network: 'devnet' } }}                 | ${idsWhere(({ key }) => key.chain === 'solana')}
    ${'a network without passes'}  | ${{ chain: { type: 'solana', network: 'mainnet-beta' } }}           | ${[]}
    ${'network, wallet and state'} | ${{ chain: SEPOLIA, walletAddress: EVM_WALLET, state: 'REJECTED' }} | ${[]}
  `('filters by $filter', async ({ wanted, expected }) => {
    expect(idsIn(await acme.search({ limit: 100, filter: wanted }))).toEqual(expected.slice(0, 100));
  });

  it('pages by after through a network', async () => {
    const all = idsWhere(isOnSepolia);
    const found = [];
    for (let after: string | undefined; found.length < all.length; after = found.at(-1)) {
      const page = idsIn(await acme.search({ limit: 25, after, filter: { chain: SEPOLIA } }));
      expect(page).toEqual(all.slice(found.length, found.length + 25));
      found.push(...page);
    }
    expect(idsIn(await acme.search({ limit: 5, skip: 7, filter: { chain: SEPOLIA } }))).toEqual(all.slice(7, 12));
  });

  it.each([
    [{ type: 'bitcoin', network: 'sepolia' }, '/filter/chain/type'],
    [{ type: 'ethereum', network: 'rinkeby' }, '/filter/chain/network'],
    [{ type: 'solana', network: 'sepolia' }, '/filter/chain/network'],
  ])('refuses the unknown network %j', async (chain, pointer) => {
    expectProblem(await acme.search({ filter: { chain } }), 'unknown_network', { pointers: [pointer] });
  });

  it('returns nothing for a wallet whose only pass belongs to another gatekeeper network', async () => {
    expect((await globex.search({ filter: { walletAddress: EVM_WALLET } })).records).toEqual([]);
  });

  it.each([wrongChecksum(EVM_WALLET), EVM_WALLET.slice(2), `${SOLANA_WALLET}1`, 'I0Ol', '', '%'])(
    'refuses the malformed wallet %j',
    async (walletAddress) => {
      expectProblem(await acme.search({ filter: { walletAddress } }), 'invalid_wallet', {
        pointers: ['/filter/walletAddress'],
      });
    },
  );
});

describe('an invalid search', () => {
  it.each([
    ['{"limit":0}', '/limit', '1'],
    ['{"limit":-1}', '/limit', '1'],
    ['{"limit":101}', '/limit', '100'],
    ['{"limit":1e400}', '/limit', '100'],
    ['{"limit":1.5}', '/limit', ''],
    ['{"limit":"5"}', '/limit', ''],
    ['{"limit":null}', '/limit', ''],
    ['{"skip":-1}', '/skip', '0'],
    ['{"skip":10001}', '/skip', '10000'],
    ['{"skip":100000}', '/skip', '10000'],
    ['{"skip":1.5}', '/skip', ''],
    ['{"skip":"5"}', '/skip', ''],
    ['{"skip":null}', '/skip', ''],
    [`{"skip":5,"after":"${idOf(1)}"}`, '/after', 'skip'],
    [`{"skip":0,"after":"${idOf(1)}"}`, '/after', 'skip'],
    ['{"after":"next"}', '/after', ''],
    ['{"after":""}', '/after', ''],
    ['{"after":7}', '/after', ''],
    ['{"after":null}', '/after', ''],
    [`{"after":"1800000000.${idOf(1)}"}`, '/after', 'next'],
    [`{"after":"${idOf(1)}","filter":{"validity":"expired"}}`, '/after', 'next'],
    [`{"after":"${idOf(1)}","filter":{"walletPrefix":"0x123456"}}`, '/after', 'next'],
    [`{"after":"0x1.0x1.ethereum' OR 1.sepolia","filter":{"walletPrefix":"0x123456"}}`, '/after', 'next'],
    ['{"filter":{"walletPrefix":"0x12345"}}', '/filter/walletPrefix', 'at least six'],
    ['{"filter":{"walletPrefix":"12345"}}', '/filter/walletPrefix', 'at least six'],
    ['{"filter":{"walletPrefix":"0x123456%"}}', '/filter/walletPrefix', 'at least six'],
    ['{"filter":{"walletPrefix":"vitalik.eth"}}', '/filter/walletPrefix', 'letters and digits'],
    [`{"filter":{"walletPrefix":"0x${'1'.repeat(41)}"}}`, '/filter/walletPrefix', ''],
    [`{"filter":{"walletPrefix":"0x123456","walletAddress":"${EVM_WALLET}"}}`, '/filter/walletPrefix', 'walletAddress'],
    ['{"filter":{"reference":"a","validity":"valid"}}', '/filter/reference', 'combined'],
    ['{"filter":{"validity":"frozen"}}', '/filter/validity', 'expired'],
    ['{"filter":{"validity":true}}', '/filter/validity', 'valid'],
    ['{"filter":{"expiresBefore":"soon"}}', '/filter/expiresBefore', 'whole'],
    ['{"filter":{"expiresBefore":-1}}', '/filter/expiresBefore', '1'],
    ['{"filter":{"validity":"expired","expiresBefore":1800000000}}', '/filter/expiresBefore', 'still valid'],
    ['{"order":"newest","filter":{"validity":"expired"}}', '/order', 'own order'],
    ['{"order":"oldest","filter":{"walletPrefix":"0x123456"}}', '/order', 'own order'],
    ['{"order":"asc"}', '/order', 'oldest'],
    ['{"count":"true"}', '/count', 'true'],
    ['{"filter":null}', '/filter', ''],
    ['{"filter":"ACTIVE"}', '/filter', ''],
    ['{"filter":[]}', '/filter', ''],
    ['{"filter":{"state":"active"}}', '/filter/state', 'ACTIVE'],
    ['{"filter":{"state":"NONE"}}', '/filter/state', 'REQUESTED'],
    ['{"filter":{"state":["ACTIVE"]}}', '/filter/state', ''],
    ['{"filter":{"walletAddress":7}}', '/filter/walletAddress', ''],
    ['{"filter":{"network":"sepolia"}}', '/filter/network', ''],
    ['{"filter":{"chain":"sepolia"}}', '/filter/chain', ''],
    ['{"filter":{"chain":{"type":"ethereum"}}}', '/filter/chain/network', ''],
    ['{"filter":{"chain":{"network":"sepolia"}}}', '/filter/chain/type', ''],
    ['{"filter":{"chain":{"type":"ethereum","network":"sepolia","id":1}}}', '/filter/chain/id', ''],
    ['{"filter":{"constructor":1}}', '/filter/constructor', ''],
    ['{"page":1}', '/page', ''],
    ['{"__proto__":{}}', '/__proto__', ''],
    ['[]', '', ''],
    ['null', '', ''],
    ['"text"', '', ''],
  ])('refuses the search %s', async (text, pointer, named) => {
    const problem = expectProblem(await acme.postText('/pass', text), 'invalid_request', { pointer });
    expect(problem.errors?.map(({ detail }) => detail.replaceAll(/(?<=\d)[,_ ](?=\d)/g, '')).join()).toContain(named);
  });

  it('names all invalid fields at once', async () => {
    expectProblem(await acme.search({ limit: 0, skip: -1 }), 'invalid_request', { pointers: ['/limit', '/skip'] });
  });
});
