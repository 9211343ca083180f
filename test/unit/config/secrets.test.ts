import { base58 } from '@scure/base';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/config/variable.ts';
import { inspect } from '../lib/inspect.ts';
import { aConfig, GATEKEEPER, KEY, SOLANA_GATEKEEPER, SOLANA_PAIR } from './environments.ts';

const DIGITS = KEY.slice(2);
/** The order of the secp256k1 group. A private key is above 0 and below it. */
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const BELOW_ORDER = ORDER.replace(/1$/, '0');

const gatekeeper = (key: unknown) => aConfig({ ETHEREUM_GATEKEEPER_KEY: key }).gatekeepers.ethereum[0];

describe('ETHEREUM_GATEKEEPER_KEY', () => {
  it.each`
    form                      | key
    ${'with the prefix'}      | ${KEY}
    ${'without the prefix'}   | ${DIGITS}
    ${'in upper-case digits'} | ${`0x${DIGITS.toUpperCase()}`}
    ${'with a line break'}    | ${`${KEY}\n`}
  `('accepts an Ethereum key $form and derives its address', ({ key }) => {
    expect(gatekeeper(key)?.address).toBe(GATEKEEPER);
    expect(gatekeeper(key)?.key().toLowerCase()).toBe(KEY);
  });

  it.each`
    which        | key                             | address
    ${'lowest'}  | ${`0x${'1'.padStart(64, '0')}`} | ${'0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'}
    ${'highest'} | ${`0x${BELOW_ORDER}`}           | ${'0x80C0dbf239224071c59dD8970ab9d542E3414aB2'}
  `('accepts the $which private key of the curve', ({ key, address }) => {
    expect(gatekeeper(key)?.address).toBe(address);
  });

  it.each`
    why                               | key
    ${'it is zero'}                   | ${'0'.repeat(64)}
    ${'it is the order of the group'} | ${ORDER}
    ${'it is above the order'}        | ${'f'.repeat(64)}
    ${'a digit is missing'}           | ${KEY.slice(0, -1)}
    ${'it has a digit too many'}      | ${`${KEY}0`}
    ${'a digit is not hex'}           | ${`${KEY.slice(0, -1)}g`}
    ${'the prefix is 0X'}             | ${`0X${DIGITS}`}
    ${'a line break divides it'}      | ${`${KEY.slice(0, 30)}\n${KEY.slice(30)}`}
    ${'it is empty'}                  | ${''}
    ${'it is not a string'}           | ${{ key: KEY }}
  `('refuses an Ethereum key without showing it when $why', ({ key }) => {
    let error: unknown;
    try {
      gatekeeper(key);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigError);
    const { message, stack } = error as ConfigError;
    expect(message).toContain('ETHEREUM_GATEKEEPER_KEY');
    for (const digits of [DIGITS.slice(0, 16), '0'.repeat(16), ORDER.slice(16, 32), 'f'.repeat(16)]) {
      expect(`${message}${stack}`).not.toContain(digits);
    }
  });
});

describe('SOLANA_GATEKEEPER_KEY', () => {
  const pair = (key: unknown) => aConfig({ SOLANA_GATEKEEPER_KEY: key }).gatekeepers.solana[0];
  const arrayFormOf = (bytes: Iterable<number>) => JSON.stringify([...bytes]);
  const otherHalf = Uint8Array.from(SOLANA_PAIR, (byte, index) => (index === 63 ? byte ^ 1 : byte));
  const SEED = SOLANA_PAIR.subarray(0, 32);

  it.each`
    form                           | key
    ${'as a JSON array'}           | ${arrayFormOf(SOLANA_PAIR)}
    ${'as an array with newlines'} | ${JSON.stringify([...SOLANA_PAIR], undefined, 1)}
    ${'in base58'}                 | ${base58.encode(SOLANA_PAIR)}
  `('accepts a Solana key pair $form and derives its address', ({ key }) => {
    expect(pair(key)?.address).toBe(SOLANA_GATEKEEPER);
    expect([...(pair(key)?.key() ?? [])]).toEqual([...SOLANA_PAIR]);
  });

  it.each`
    why                                     | key
    ${'its halves do not match, in JSON'}   | ${arrayFormOf(otherHalf)}
    ${'its halves do not match, in base58'} | ${base58.encode(otherHalf)}
    ${'it is only the seed'}                | ${arrayFormOf(SEED)}
    ${'it is only the seed, in base58'}     | ${base58.encode(SEED)}
    ${'a byte is missing'}                  | ${arrayFormOf(SOLANA_PAIR.subarray(1))}
    ${'it has a byte too many'}             | ${arrayFormOf([...SOLANA_PAIR, 1])}
    ${'a number is above 255'}              | ${arrayFormOf([...SOLANA_PAIR.subarray(1), 256])}
    ${'a number is negative'}               | ${arrayFormOf([-1, ...SOLANA_PAIR.subarray(1)])}
    ${'it is an object'}                    | ${JSON.stringify({ ...SOLANA_PAIR })}
    ${'it is the key of another chain'}     | ${KEY}
    ${'it is empty'}                        | ${''}
    ${'it is very long'}                    | ${'z'.repeat(100_000)}
    ${'it is not a string'}                 | ${[...SOLANA_PAIR]}
  `('refuses a Solana key pair without showing it when $why', ({ key }) => {
    let error: unknown;
    try {
      pair(key);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ConfigError);
    const { message, stack } = error as ConfigError;
    expect(message).toContain('SOLANA_GATEKEEPER_KEY must be');
    const text = typeof key === 'string' ? key : JSON.stringify(key);
    if (text.length > 16) expect(`${message}${stack}`).not.toContain(text.slice(1, 17));
  });
});

it('keeps the RPC endpoints of each network in their order of preference', () => {
  const urls = ['https://b.example/k', 'https://a.example/k', 'http://127.0.0.1:8545'];
  const { rpc } = aConfig({ RPC_ENDPOINTS: JSON.stringify({ sepolia: urls, devnet: ['https://c.example'] }) });
  expect(Object.keys(rpc).sort()).toEqual(['devnet', 'sepolia']);
  expect(rpc.sepolia?.map((endpoint) => endpoint())).toEqual(urls);
});

it.each`
  way             | show
  ${'JSON'}       | ${JSON.stringify}
  ${'inspection'} | ${(config: object) => inspect(config, { depth: null, showHidden: true, getters: true })}
  ${'strings'}    | ${(config: object) => everyLeaf(config).map(String).join()}
`('shows no key and no endpoint in the $way of the configuration', ({ show }) => {
  const config = aConfig({
    ETHEREUM_GATEKEEPER_KEY: KEY,
    SOLANA_GATEKEEPER_KEY: base58.encode(SOLANA_PAIR),
    RPC_ENDPOINTS: '{"sepolia": ["https://rpc.example/planted7f3a"]}',
  });
  expect(config.rpc.sepolia?.[0]?.()).toContain('planted7f3a');
  const shown: string = show(config);
  expect(shown).toContain(GATEKEEPER);
  expect(shown.toLowerCase()).not.toContain(DIGITS);
  expect(shown).toContain(SOLANA_GATEKEEPER);
  expect(shown).not.toContain(base58.encode(SOLANA_PAIR));
  expect(shown.replaceAll(/\s/g, '')).not.toContain([...SOLANA_PAIR.subarray(0, 4)].join());
  expect(shown).not.toContain('planted7f3a');
});

function everyLeaf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(everyLeaf) : [value];
}
