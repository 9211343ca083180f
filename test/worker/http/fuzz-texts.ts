import fc from 'fast-check';
import { SOLANA_WALLET } from './wallets.ts';

/** Texts and JSON that an attacker may send. */

const MIXED = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
export const LONG = 'A'.repeat(100_000);

/** Names that every object inherits. */
export const INHERITED = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', 'toJSON'];

const NASTY = [
  ...INHERITED,
  LONG,
  '',
  ' ',
  '.',
  '..',
  '../../admin/signers',
  '/',
  '//',
  '\\',
  '*',
  'null',
  'undefined',
  'NaN',
  '-0',
  '1e3',
  '0x10',
  '\0',
  'sepolia\0',
  '\r\nX-Injected: yes',
  '\u001b[31m',
  '\u007f',
  '\u202e\u2066\u200f', // Right-to-left marks.
  '\u200b\ufeff\u2028',
  '\ud800',
  '\udc00\ud800',
  'e\u0301\u0301\u0301',
  'ＳＥＰＯＬＩＡ',
  'ѕерolia',
  '😀',
  "' OR 1=1 --",
  '"; DROP TABLE passes; --',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '%00',
  '%2F..%2F',
  '%252e%252e%252f',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%',
  '%zz',
];

/** Addresses with a typing error, or with characters that only look right. */
const slips: readonly ((wallet: string, at: number) => string)[] = [
  (wallet, at) => wallet.slice(0, at) + wallet.slice(at + 1),
  (wallet, at) => wallet.slice(0, at) + wallet.charAt(at) + wallet.slice(at),
  (wallet, at) => wallet.slice(0, at) + flipped(wallet.charAt(at)) + wallet.slice(at + 1),
  (wallet, at) => `${wallet.slice(0, at)}\u200b${wallet.slice(at)}`,
  (wallet, at) => `${wallet.slice(0, at)}\0${wallet.slice(at)}`,
  (wallet, at) => `${wallet.slice(0, at)}${wallet.slice(at).replace('a', 'а').replace('e', 'е').replace('1', 'l')}`,
  (wallet, at) => wallet.slice(0, at) + wallet.slice(at).normalize('NFKD').replace(/\d/g, fullWidth),
  (wallet) => wallet.toUpperCase(),
  (wallet) => ` ${wallet}`,
  (wallet) => `${wallet}\n`,
  (wallet) => wallet.repeat(2),
  (wallet) => wallet.replace('0x', '0X'),
];
const flipped = (letter: string) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase());
const fullWidth = (digit: string) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0);

const nearlyWallets = fc
  .tuple(fc.constantFrom(MIXED, SOLANA_WALLET), fc.constantFrom(...slips), fc.nat(43))
  .map(([wallet, slip, at]) => slip(wallet, at));

export const texts: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...NASTY), weight: 4 },
  { arbitrary: nearlyWallets, weight: 3 },
  { arbitrary: fc.string({ unit: 'binary', maxLength: 30 }), weight: 2 },
  fc.string({ maxLength: 30 }),
);

const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
/** JSON texts of values in unusual forms. */
const LITERALS = [
  ...['null', 'true', '{}', '[]', '[[]]', '""', '0', '-0', '-1', '0.5', '20', '2e1', '20.0', '101', '100001'],
  ...['1e400', '-1e400', '1e-400', '1E+2', '9007199254740993', '253402300800', '253402300799.5', '9'.repeat(1000)],
  ...['NaN', '01', '+1', '.5', "'a'", 'undefined', '"\\ud800"', '"\\u0000"', '"\\x"', '"\u0001"'],
  ...[deep('[', ']', 8000), deep('[', ']', 20), deep('{"a":', '}', 20).replace('":}', '":1}'), '['.repeat(9000)],
  ...INHERITED.map((name) => `{"${name}":{"${name}":1}}`),
];
const literals = fc.oneof(
  fc.constantFrom(...LITERALS),
  texts.map((text) => JSON.stringify(text)),
);

/** Returns values that resemble the given number or word. */
function nearly(value: unknown): fc.Arbitrary<string> {
  const near =
    typeof value === 'number'
      ? [1, value - 1, value + 0.5, -value, value * 1000, Math.floor(value / 3), `${value}`]
      : [`${value}`.toLowerCase(), `${value}`.toUpperCase(), `${value} `, `x${value}`, `${value}`.slice(1), [value]];
  return fc.constantFrom(...near.map((each) => JSON.stringify(each)));
}

/** Returns JSON texts of the value: unchanged, or with missing, altered, additional or repeated fields on any level. */
export function jsonLike(value: unknown): fc.Arbitrary<string> {
  const right = fc.constant(JSON.stringify(value));
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ arbitrary: right, weight: 3 }, { arbitrary: nearly(value), weight: 2 }, literals);
  const fields = Object.entries(value);
  const names = [...fields.map(([name]) => name), ...INHERITED, 'limit', 'state', ''];
  const others = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...names), texts), literals), { maxLength: 2 });
  const kept = fc.tuple(...fields.map(([name, each]) => fc.tuple(fc.constant(name), jsonLike(each))));
  const object = (entries: readonly (readonly [string, string])[]) =>
    `{${entries.map(([name, literal]) => `${JSON.stringify(name)}:${literal}`).join(',')}}`;
  return fc.oneof(
    { arbitrary: right, weight: 1 },
    { arbitrary: kept.map(object), weight: 6 },
    {
      arbitrary: fc
        .tuple(
          kept.chain((all) => fc.subarray(all)),
          others,
        )
        .map(([a, b]) => object([...a, ...b])),
      weight: 2,
    },
    literals,
  );
}

/** Four of five values are valid, because a request with many faults already fails at the first fault. */
export const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: right, weight: 4 }, { arbitrary: wrong, weight: 1 });
