import { describe, expect, it } from 'vitest';
import { expectProblem } from '../../problem.ts';
import NETWORKS from '../../vectors/networks.json';
import { type Api, partner, seededPartner } from './api.ts';
import { aPartner } from './issuer.ts';
import { aWallet, SOLANA_WALLET, wrongChecksum, ZERO_ADDRESS } from './wallets.ts';

/** Issuances that are refused before any work starts. */

const SEPOLIA = 'ethereum/sepolia';
const acme = await partner('acme');
const wallet = aWallet();
const walletOf = (chain: string) => (chain === 'solana' ? SOLANA_WALLET : wallet);

describe('the chain and the network', () => {
  const pairs = ['solana', 'ethereum'].flatMap((chain) =>
    NETWORKS.map(({ chain: own, network }) => [chain, network, own === chain] as const),
  );
  const namesOf = (chain: string) => NETWORKS.filter((row) => row.chain === chain).map(({ network }) => network);

  it('covers 28 networks: 2 of Solana and 26 of Ethereum type', () => {
    expect(namesOf('solana')).toEqual(['mainnet-beta', 'devnet']);
    expect(namesOf('ethereum')).toHaveLength(26);
  });

  it.each(pairs.filter(([, , belongs]) => belongs))('knows %s/%s', async (chain, network) => {
    expectProblem(await acme.fetch(`${chain}/${network}`, walletOf(chain)), 'pass_not_found');
  });

  it.each(pairs.filter(([, , belongs]) => !belongs))(
    'refuses %s/%s and names the networks of the chain',
    async (chain, network) => {
      const on = `${chain}/${network}`;
      for (const answer of [await acme.issue(on, walletOf(chain)), await acme.fetch(on, walletOf(chain))]) {
        const { detail } = expectProblem(answer, 'unknown_network');
        for (const name of namesOf(chain)) expect(detail).toContain(name);
      }
    },
  );

  it.each(['ethereum/holesky', 'ethereum/SEPOLIA', 'ethereum/constructor', 'solana/testnet'])(
    'refuses the unknown network %s',
    async (on) => {
      expectProblem(await acme.issue(on, wallet), 'unknown_network');
    },
  );

  it.each(['bitcoin/mainnet', 'Ethereum/sepolia', '__proto__/sepolia'])(
    'refuses the unknown chain of %s and names the chains',
    async (on) => {
      expectProblem(await acme.issue(on, wallet), 'unknown_network', { detail: /solana.*ethereum|ethereum.*solana/ });
    },
  );

  it.each(['ethereum/mainnet', 'ethereum/sonicTestnet', 'solana/mainnet-beta'])(
    'refuses %s, which is not enabled',
    async (on) => {
      expectProblem(await acme.issue(on, walletOf(on.split('/')[0] as string)), 'network_not_enabled');
    },
  );
});

describe('a partner restricted to networks', () => {
  it('issues on a network that the partner may use', async () => {
    const api = await aPartner({ gatekeeperNetwork: seededPartner('acme').gatekeeperNetwork, networks: ['sepolia'] });
    expect((await api.issue(SEPOLIA, aWallet())).status).toBe(202);
  });

  it.each([[['sepolia']], [['sepolia', 'mainnet']], [[]]])(
    'refuses to issue on another network for a partner restricted to %j',
    async (networks) => {
      const api = await aPartner({ networks });
      expectProblem(await api.issue('ethereum/baseSepolia', wallet), 'network_not_allowed');
    },
  );
});

describe('the wallet of an issuance', () => {
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
    [SEPOLIA, ZERO_ADDRESS],
    [SEPOLIA, ''],
    ['solana/devnet', wallet],
    ['solana/devnet', SOLANA_WALLET.slice(0, -1)],
    ['solana/devnet', `${SOLANA_WALLET}1`],
    ['solana/devnet', SOLANA_WALLET.replace('S', '0')],
    ['solana/devnet', '1'.repeat(33)],
    ['solana/devnet', 'z'.repeat(44)],
  ])('refuses a malformed wallet on %s: %j', async (on, malformed) => {
    expectProblem(await acme.issue(on, malformed), 'invalid_wallet', { pointers: ['/walletAddress'] });
  });
});

describe('the body of an issuance', () => {
  const invalid = async (text: string, pointer: string) => {
    expectProblem(await acme.postText(`/pass/${SEPOLIA}`, text), 'invalid_request', { pointer });
  };
  const withField = (name: string) => `{"walletAddress":"${wallet}",${JSON.stringify(name)}:1}`;

  it.each(['{}', ''])('refuses the body %j, which lacks the wallet', (text) => invalid(text, '/walletAddress'));

  it.each(['[]', 'null', '7', '"text"', 'true'])('refuses the body %s, which is not an object', (text) =>
    invalid(text, ''),
  );

  it.each([1, null, true, [], {}, [wallet]])('refuses the wallet %j, which is not a string', (value) =>
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
  ])('refuses the unknown field %j', (name, pointer) => invalid(withField(name), pointer));

  it.each([
    '{',
    `{"walletAddress":"${wallet}",}`,
    `{'walletAddress':'${wallet}'}`,
    `{"walletAddress":"${wallet}"}{}`,
    ' ',
    'NaN',
  ])('refuses the body %j, which is not JSON', async (text) => {
    expectProblem(await acme.postText(`/pass/${SEPOLIA}`, text), 'invalid_json');
  });

  it.each([[[0xff]], [[0xc0, 0xaf]], [[0xed, 0xa0, 0x80]], [[0xe2, 0x82]]])(
    'refuses the bytes %j, which are not UTF-8',
    async (bytes) => {
      const [before, after] = ['{"walletAddress":"', '"}'].map((text) => [...new TextEncoder().encode(text)]);
      const body = new Uint8Array([...(before ?? []), ...bytes, ...(after ?? [])]);
      expectProblem(await acme.postText(`/pass/${SEPOLIA}`, body), 'invalid_json');
    },
  );

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
  ])('refuses the content type %s', async (type) => {
    expectProblem(await typed(type), 'unsupported_media_type');
  });

  it.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON ; x="y"',
  ])('accepts the content type %s', async (type) => void expectProblem(await typed(type), 'invalid_wallet'));
});

describe('the size of the body', () => {
  const padded = (length: number) => JSON.stringify({ walletAddress: 'none' }).padEnd(length);
  const chunks = (length: number) => new Blob([padded(length)]).stream().pipeThrough(new TransformStream());

  it.each([
    ['of known length', padded],
    ['in chunks', chunks],
  ])('accepts 16 KiB in a body %s, and refuses one byte more', async (_, body) => {
    expectProblem(await acme.postText(`/pass/${SEPOLIA}`, body(16_384)), 'invalid_wallet');
    expectProblem(await acme.postText(`/pass/${SEPOLIA}`, body(16_385)), 'body_too_large');
  });

  it('refuses an endless body before its end', async () => {
    const api = await aPartner();
    const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(4096)) });
    expectProblem(await api.postText(`/pass/${SEPOLIA}`, endless), 'body_too_large');
  });
});
