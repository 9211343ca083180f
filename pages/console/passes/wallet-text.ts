import { pastedText, wrongCharacter } from '../../../packages/cli/src/pasted-text.ts';
import { checksumAddress } from '../../../src/network/wallet.ts';

/** Reads the text that a person enters for a wallet, and says in plain words what is wrong with it. */

export type WalletText =
  | { readonly type: 'none' }
  | { readonly type: 'wallet' | 'prefix'; readonly text: string }
  /** `isSecret`: the text may be a key. It must not be sent, kept or shown. */
  | { readonly type: 'fault'; readonly text: string; readonly isSecret?: true };

/** The service looks up no shorter beginning. */
const PREFIX_MIN = 6;
const ETHEREUM_DIGITS = 40;
const SOLANA_MIN = 32;
const SOLANA_MAX = 44;

const SECRET = [
  'This looks like a private key, a recovery phrase or a transaction, and not like a wallet. It was not sent, and the field is empty now.',
  'Never enter a key here. If it was a key, move the funds of its wallet.',
].join(' ');

const fault = (text: string): WalletText => ({ type: 'fault', text });

/** Returns what the text names: a wallet, the beginning of one, or a fault for people. Pure. */
export function readWallet(entered: string): WalletText {
  const text = pastedText(entered);
  if (text === '') return { type: 'none' };
  if (isSecret(text)) return { type: 'fault', text: SECRET, isSecret: true };
  if (/[ \t\r\n]/.test(text)) return fault('A wallet has no spaces. Enter one wallet.');
  if (/^[^.]+(\.[^.]+)*\.[a-z]{2,}$/i.test(text))
    return fault(`“${text}” is a name. The console looks up no names: enter the address itself.`);
  const character = wrongCharacter(text, /[0-9A-Za-z]/);
  if (character !== undefined)
    return fault(`A wallet has only letters and digits. ${character}. Enter it without that.`);
  if (/^0x/i.test(text)) return readEthereum(text.slice(2));
  if (/^[0-9a-f]{40}$/i.test(text)) return readEthereum(text);
  return readSolana(text);
}

/** Whether the text is as long as a key: 64 hexadecimal digits, 64 bytes in base58 or as numbers, or the words of a phrase. */
function isSecret(text: string): boolean {
  const joined = text.replaceAll(/[\s\p{Cf}]/gu, '');
  return (
    /^(0x)?[0-9a-f]{64}$/i.test(joined) ||
    /^(0x)?[0-9a-f]{128}$/i.test(joined) ||
    /^[1-9A-HJ-NP-Za-km-z]{80,}$/.test(joined) ||
    /^\[?(\d{1,3},){31,}\d{1,3}\]?$/.test(joined) ||
    // The length of the shortest phrase.
    /^([a-z]+\s+){11,}[a-z]+$/i.test(text)
  );
}

function readEthereum(digits: string): WalletText {
  if (!/^[0-9a-f]*$/i.test(digits))
    return fault('An address of an Ethereum-type network has only digits and the letters a to f after 0x.');
  if (digits.length < PREFIX_MIN) return fault(`Enter at least ${PREFIX_MIN} characters after 0x.`);
  if (digits.length > ETHEREUM_DIGITS)
    return fault(`The address is too long: it has ${digits.length} characters after 0x, and a wallet has 40.`);
  const text = `0x${digits}`;
  if (digits.length < ETHEREUM_DIGITS) return { type: 'prefix', text };
  // An address in one case has no checksum.
  const hasChecksum = digits !== digits.toLowerCase() && digits !== digits.toUpperCase();
  if (hasChecksum && checksumAddress(text) !== text)
    return fault(
      'A character of this address is wrong: its capital letters do not fit its digits. Copy it from its source again.',
    );
  return { type: 'wallet', text: hasChecksum ? text : text.toLowerCase() };
}

function readSolana(text: string): WalletText {
  if (!/^[1-9A-HJ-NP-Za-km-z]+$/.test(text))
    return fault(
      'This is no wallet. An address of an Ethereum-type network begins with 0x. One of Solana has only letters and digits, without 0, O, I and l.',
    );
  if (text.length < PREFIX_MIN) return fault(`Enter at least ${PREFIX_MIN} characters.`);
  if (text.length > SOLANA_MAX)
    return fault(`The address is too long: it has ${text.length} characters, and a wallet of Solana has at most 44.`);
  // An address of 32 to 44 characters has 32 bytes. A shorter or smaller text is a beginning.
  return { type: text.length >= SOLANA_MIN && bytesIn(text) === 32 ? 'wallet' : 'prefix', text };
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Returns the number of bytes of the base58 text. */
function bytesIn(text: string): number {
  let value = 0n;
  for (const character of text) value = value * 58n + BigInt(BASE58.indexOf(character));
  const zeros = /^1*/.exec(text)?.[0].length ?? 0;
  return zeros + (value === 0n ? 0 : Math.ceil(value.toString(16).length / 2));
}
