import { expect, it } from 'vitest';
import { readWallet } from '../../../pages/console/passes/wallet-text.ts';

const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const SOLANA = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV';

it.each([WALLET, SOLANA])('the console takes %s as a chat or a spreadsheet gives it', (wallet) => {
  for (const pasted of [` ${wallet}\u00a0`, `\u200b${wallet}\ufeff`, `"${wallet}"`, `“${wallet}”`, `'${wallet}`])
    expect(readWallet(pasted)).toEqual({ type: 'wallet', text: wallet });
});

it('the console takes a prefix in upper case', () => {
  expect(readWallet(`0X${WALLET.slice(2)}`)).toEqual({ type: 'wallet', text: WALLET });
});

it.each`
  entered                                            | text
  ${`${WALLET.slice(0, 9)}\u200b${WALLET.slice(9)}`} | ${'Character 10 is U+200B (zero width space)'}
  ${`${WALLET.slice(0, 9)}\ufeff${WALLET.slice(9)}`} | ${'Character 10 is U+FEFF (byte order mark)'}
  ${`${WALLET.slice(0, 9)}\u00a0${WALLET.slice(9)}`} | ${'Character 10 is U+00A0 (no-break space)'}
  ${`${SOLANA.slice(0, 9)}\u2060${SOLANA.slice(9)}`} | ${'Character 10 is U+2060 (word joiner)'}
  ${WALLET.replace('e', 'е')}                        | ${'is "е" (U+0435)'}
`('the console names the wrong character of $entered', ({ entered, text }) => {
  expect(readWallet(entered)).toMatchObject({ type: 'fault', text: expect.stringContaining(text) });
});

it('a key is a secret also with invisible characters in it', () => {
  const key = 'ab'.repeat(32);
  expect(readWallet(`${key.slice(0, 30)}\u200b${key.slice(30)}`)).toMatchObject({ type: 'fault', isSecret: true });
});
