import { describe, expect, it } from 'vitest';
import NETWORKS from '../../vectors/networks.json';
import { type Api, partner, seeded } from './api.ts';
import { aPartner, newClientId } from './issuer.ts';
import { aWallet, SOLANA_WALLET, wrongChecksum } from './wallets.ts';

/** Issuances that are refused before anything begins. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const wallet = aWallet();
const walletOf = (chain: string) => (chain === 'solana' ? SOLANA_WALLET : wallet);

describe('chain and network', () => {
  const pairs = ['solana', 'ethereum'].flatMap((chain) =>
    NETWORKS.map(({ chain: own, network }) => ({ chain, network, belongs: own === chain })),
  );
  const namesOf = (chain: string) => NETWORKS.filter((row) => row.chain === chain).map(({ network }) => network);

  it('are 28 networks, 2 of solana and 26 of ethereum', () => {
    expect(namesOf('solana')).toEqual(['mainnet-beta', 'devnet']);
    expect(namesOf('ethereum')).toHaveLength(26);
  });

  it.each(pairs.filter(({ belongs }) => belongs))('$chain/$network is known', async ({ chain, network }) => {
    const { problem } = await acme.fetch(`${chain}/${network}`, walletOf(chain));
    expect(problem.code).toBe('pass_not_found');
  });

  it.each(pairs.filter(({ belongs }) => !belongs))(
    '$chain/$network is no pair: told what the chain has',
    async ({ chain, network }) => {
      const on = `${chain}/${network}`;
      for (const { problem } of [await acme.issue(on, walletOf(chain)), await acme.fetch(on, walletOf(chain))]) {
        expect([problem.status, problem.code]).toEqual([400, 'unknown_network']);
        for (const name of namesOf(chain)) expect(problem.detail).toContain(name);
      }
    },
  );

  it.each(['ethereum/holesky', 'ethereum/SEPOLIA', 'ethereum/constructor', 'solana/testnet'])(
    '%s is unknown',
    async (on) => {
      const { problem } = await acme.issue(on, wallet);
      expect([problem.status, problem.code]).toEqual([400, 'unknown_network']);
    },
  );

  it.each(['bitcoin/mainnet', 'Ethereum/sepolia', '__proto__/sepolia'])('%s: no such chain', async (on) => {
    const { problem } = await acme.issue(on, wallet);
    expect([problem.status, problem.code]).toEqual([400, 'unknown_network']);
    expect(problem.detail).toMatch(/solana.*ethereum|ethereum.*solana/);
  });

  it.each(['ethereum/mainnet', 'ethereum/sonicTestnet', 'solana/mainnet-beta'])('%s is not enabled', async (on) => {
    const { problem } = await acme.issue(on, walletOf(on.split('/')[0] as string));
    expect([problem.status, problem.code]).toEqual([400, 'network_not_enabled']);
  });
});

describe('a partner restricted to networks', () => {
  it('issues there', async () => {
    const api = await aPartner({ ...seeded('acme'), clientId: newClientId(), networks: ['sepolia'] });
    expect((await api.issue(SEPOLIA, aWallet())).status).toBe(202);
  });

  it.each([[['sepolia']], [['sepolia', 'mainnet']], [[]]])('to %j issues nowhere else', async (networks) => {
    const api = await aPartner({ networks });
    const { problem } = await api.issue('ethereum/baseSepolia', wallet);
    expect([problem.status, problem.code]).toEqual([403, 'network_not_allowed']);
  });
});

describe('the wallet', () => {
  it.each([
    [SEPOLIA, wrongChecksum(wallet)],
    [SEPOLIA, wallet.slice(2)],
    [SEPOLIA, wallet.slice(0, -1)],
    [SEPOLIA, `${wallet}0`],
    [SEPOLIA, `${wallet} `],
    [SEPOLIA, `${wallet}\n`],
    [SEPOLIA, wallet.replace(/.$/, 'g')],
    [SEPOLIA, SOLANA_WALLET],
    [SEPOLIA, 'vitalik.eth'],
    [SEPOLIA, ''],
    ['solana/devnet', wallet],
    ['solana/devnet', SOLANA_WALLET.slice(0, -1)],
    ['solana/devnet', `${SOLANA_WALLET}1`],
    ['solana/devnet', SOLANA_WALLET.replace('S', '0')],
    ['solana/devnet', '1'.repeat(33)],
    ['solana/devnet', 'z'.repeat(44)],
  ])('on %s must not be %j', async (on, malformed) => {
    const { problem } = await acme.issue(on, malformed);
    expect([problem.status, problem.code]).toEqual([400, 'invalid_wallet']);
    expect(problem.errors).toEqual([{ pointer: '/walletAddress', detail: expect.any(String) }]);
  });
});

describe('the body', () => {
  const invalid = async (text: string, pointer: string) => {
    const { problem } = await acme.postText(`/pass/${SEPOLIA}`, text);
    expect([problem.status, problem.code]).toEqual([400, 'invalid_request']);
    expect(problem.errors?.map((error) => error.pointer)).toContain(pointer);
  };
  const withField = (name: string) => `{"walletAddress":"${wallet}",${JSON.stringify(name)}:1}`;

  it.each(['{}', ''])('%j lacks the wallet', (text) => invalid(text, '/walletAddress'));

  it.each(['[]', 'null', '7', '"text"', 'true'])('%s is no object', (text) => invalid(text, ''));

  it.each([1, null, true, [], {}, [wallet]])('%j is no text', (value) =>
    invalid(JSON.stringify({ walletAddress: value }), '/walletAddress'),
  );

  it.each([
    ['expiry', '/expiry'],
    ['WalletAddress', '/WalletAddress'],
    ['gatekeeperNetwork', '/gatekeeperNetwork'],
    ['a/b~c', '/a~1b~0c'],
    ['', '/'],
    ['constructor', '/constructor'],
    ['__proto__', '/__proto__'],
  ])('has no field %j', (name, pointer) => invalid(withField(name), pointer));

  it.each([
    '{',
    `{"walletAddress":"${wallet}",}`,
    `{'walletAddress':'${wallet}'}`,
    `{"walletAddress":"${wallet}"}{}`,
    ' ',
    'NaN',
  ])('%j is not JSON', async (text) => {
    const { problem } = await acme.postText(`/pass/${SEPOLIA}`, text);
    expect([problem.status, problem.code]).toEqual([400, 'invalid_json']);
  });

  it.each([[[0xff]], [[0xc0, 0xaf]], [[0xed, 0xa0, 0x80]], [[0xe2, 0x82]]])('%j is not UTF-8', async (bytes) => {
    const [before, after] = ['{"walletAddress":"', '"}'].map((text) => [...new TextEncoder().encode(text)]);
    const body = new Uint8Array([...(before ?? []), ...bytes, ...(after ?? [])]);
    const { problem } = await acme.postText(`/pass/${SEPOLIA}`, body);
    expect([problem.status, problem.code]).toEqual([400, 'invalid_json']);
  });

  const typed = (type: string | undefined, api: Api = acme) =>
    api.call('POST', `/pass/${SEPOLIA}`, {
      body: JSON.stringify({ walletAddress: 'none' }),
      headers: type === undefined ? {} : { 'content-type': type },
    });

  it.each([
    undefined,
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/problem+json',
    'text/json, application/json',
  ])('is not taken as %s', async (type) => {
    const { problem } = await typed(type);
    expect([problem.status, problem.code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON ; x="y"',
  ])('is taken as %s', async (type) => expect((await typed(type)).problem.code).toBe('invalid_wallet'));
});

describe('a body too large', () => {
  const padded = (length: number) => JSON.stringify({ walletAddress: 'none' }).padEnd(length);
  const chunks = (length: number) => new Blob([padded(length)]).stream().pipeThrough(new TransformStream());

  it.each([
    ['of known length', padded],
    ['in chunks', chunks],
  ])('%s: 16 KiB and not a byte more', async (_, body) => {
    expect((await acme.postText(`/pass/${SEPOLIA}`, body(16_384))).problem.code).toBe('invalid_wallet');
    const { problem } = await acme.postText(`/pass/${SEPOLIA}`, body(16_385));
    expect([problem.status, problem.code]).toEqual([413, 'body_too_large']);
  });

  it('is not read to its end', async () => {
    const api = await aPartner();
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(4096)) });
    const { problem } = await api.postText(`/pass/${SEPOLIA}`, endless);
    expect([problem.status, problem.code]).toEqual([413, 'body_too_large']);
  });
});
