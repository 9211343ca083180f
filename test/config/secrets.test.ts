import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config/variable.ts';
import { inspect } from '../lib/inspect.ts';
import { aConfig, GATEKEEPER, KEY } from './an-environment.ts';

const DIGITS = KEY.slice(2);
/** Order of the secp256k1 group: a private key lies between 0 and it. */
const ORDER = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141';
const BELOW_ORDER = ORDER.replace(/1$/, '0');

const gatekeeper = (key: unknown) => aConfig({ ETHEREUM_GATEKEEPER_KEY: key }).gatekeepers.ethereum;

describe('ETHEREUM_GATEKEEPER_KEY', () => {
  it.each`
    form                      | key
    ${'with the prefix'}      | ${KEY}
    ${'without the prefix'}   | ${DIGITS}
    ${'in upper-case digits'} | ${`0x${DIGITS.toUpperCase()}`}
  `('is taken $form, with its address', ({ key }) => {
    expect(gatekeeper(key)?.address).toBe(GATEKEEPER);
    expect(gatekeeper(key)?.key().toLowerCase()).toBe(KEY);
  });

  it.each`
    which        | key                             | address
    ${'lowest'}  | ${`0x${'1'.padStart(64, '0')}`} | ${'0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf'}
    ${'highest'} | ${`0x${BELOW_ORDER}`}           | ${'0x80C0dbf239224071c59dD8970ab9d542E3414aB2'}
  `('may be the $which there is', ({ key, address }) => {
    expect(gatekeeper(key)?.address).toBe(address);
  });

  it.each`
    why                               | key
    ${'it is zero'}                   | ${'0'.repeat(64)}
    ${'it is the order of the group'} | ${ORDER}
    ${'it is beyond the order'}       | ${'f'.repeat(64)}
    ${'a digit is missing'}           | ${KEY.slice(0, -1)}
    ${'there is a digit too many'}    | ${`${KEY}0`}
    ${'a digit is not hex'}           | ${`${KEY.slice(0, -1)}g`}
    ${'the prefix is 0X'}             | ${`0X${DIGITS}`}
    ${'a line break came along'}      | ${`${KEY}\n`}
    ${'it is no string'}              | ${{ key: KEY }}
  `('is refused without showing when $why', ({ key }) => {
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

it('RPC_ENDPOINTS are kept in their order of preference', () => {
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
`('no key and no endpoint shows in the configuration as $way', ({ show }) => {
  const config = aConfig({
    ETHEREUM_GATEKEEPER_KEY: KEY,
    RPC_ENDPOINTS: '{"sepolia": ["https://rpc.example/planted7f3a"]}',
  });
  expect(config.rpc.sepolia?.[0]?.()).toContain('planted7f3a');
  const shown: string = show(config);
  expect(shown).toContain(GATEKEEPER);
  expect(shown.toLowerCase()).not.toContain(DIGITS);
  expect(shown).not.toContain('planted7f3a');
});

function everyLeaf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(everyLeaf) : [value];
}
