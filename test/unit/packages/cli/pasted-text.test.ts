import { describe, expect, it } from 'vitest';
import { pastedText, pastedWallet } from '../../../../packages/cli/src/pasted-text.ts';
import { demandWallet } from '../../../../packages/cli/src/wallet-argument.ts';

const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const SOLANA = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV';

/** The characters that spreadsheets, chats and pages add around a text. */
const PASTED: readonly (readonly [name: string, paste: (text: string) => string])[] = [
  ['spaces', (text) => `  ${text} `],
  ['a tab and a line break', (text) => `\t${text}\r\n`],
  ['no-break spaces', (text) => `\u00a0${text}\u202f`],
  ['a zero width space', (text) => `${text}\u200b`],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['marks of the direction', (text) => `\u200e\u2068${text}\u2069`],
  ['a word joiner and a soft hyphen', (text) => `\u2060${text}\u00ad`],
  ['quotes', (text) => `"${text}"`],
  ['typographic quotes', (text) => `“${text}”`],
  ['the apostrophe of a spreadsheet', (text) => `'${text}`],
  ['backticks', (text) => `\`${text}\``],
  ['several of them', (text) => ` \u200b"\u00a0${text}\u200b" `],
];

describe.each(PASTED)('a pasted address with %s', (_, paste) => {
  it('is the address', () => {
    expect(demandWallet(paste(WALLET))).toBe(WALLET);
    expect(demandWallet(paste(WALLET), 'ethereum')).toBe(WALLET);
    expect(demandWallet(paste(SOLANA))).toBe(SOLANA);
    expect(demandWallet(paste(SOLANA), 'solana')).toBe(SOLANA);
  });
});

it('has a prefix in any case', () => {
  expect(demandWallet(WALLET.toUpperCase())).toBe(WALLET);
  expect(demandWallet(`0X${WALLET.slice(2)}`)).toBe(WALLET);
  expect(demandWallet(` 0X${WALLET.slice(2)}`, 'ethereum')).toBe(WALLET);
  expect(pastedWallet('0X12')).toBe('0x12');
});

it.each`
  text                                                  | why
  ${`${WALLET.slice(0, 20)}\u200b${WALLET.slice(20)}`}  | ${'Character 21 is U+200B (zero width space)'}
  ${`0\u200bx${WALLET.slice(2)}`}                       | ${'Character 2 is U+200B (zero width space)'}
  ${` ${WALLET.slice(0, 20)}\u00a0${WALLET.slice(20)}`} | ${'Character 21 is U+00A0 (no-break space)'}
  ${WALLET.replace('a', 'а')}                           | ${'Character 4 is "а" (U+0430)'}
  ${`${SOLANA.slice(0, 7)}\u200d${SOLANA.slice(7)}`}    | ${'Character 8 is U+200D (zero width joiner)'}
  ${`${SOLANA.slice(0, 7)}0${SOLANA.slice(8)}`}         | ${'Character 8 is "0" (U+0030)'}
`('a wrong character inside $text is named and never removed', ({ text, why }) => {
  expect(() => demandWallet(text)).toThrow(why);
});

it('an upper-case prefix is no wrong checksum, and a wrong checksum is one with either prefix', () => {
  const wrong = `0X${WALLET.slice(2).replace('a', 'A')}`;
  expect(() => demandWallet(wrong)).toThrow(`the checksum is wrong. If every digit is right, the address is ${WALLET}`);
});

it('of nothing but added characters is empty', () => {
  for (const text of ['', ' ', '""', '\u200b', "'"]) expect(pastedText(text)).toBe('');
});
