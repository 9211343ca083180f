import { runInNewContext } from 'node:vm';
import { base58 } from '@scure/base';

/**
 * Applies the conditions of a Rust text of the guide. The project has no Rust. But the operators of a condition are the same in JavaScript, with the
 * same precedence and order, so only the expressions for bytes need another form.
 */

export interface PassAccount {
  /** The program that owns the account. */
  readonly owner: string;
  readonly data: Uint8Array;
}

/** Returns whether the account is a valid pass of the wallet at that time (Unix seconds). Throws where Rust panics. */
export type PassCheck = (pass: PassAccount, wallet: string, now: bigint) => boolean;

/** The names that a condition may contain, in its form in JavaScript. */
const NAMES = new Set([
  ...['owner', 'length', 'byteAt', 'keyAt', 'i64At', 'wallet', 'now', 'GATEWAY_PROGRAM', 'GATEKEEPER_NETWORK'],
]);

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\/\/.*$/gm, ''],
  [/\*pass\.owner/g, 'owner'],
  [/i64::from_le_bytes\(\s*data\[(\d+)\.\.(\d+)\]\.try_into\(\)\.unwrap\(\)\s*\)/g, 'i64At($1, $2)'],
  [/data\[(\d+)\.\.(\d+)\]/g, 'keyAt($1, $2)'],
  [/data\[(\d+)\]/g, 'byteAt($1)'],
  [/data\.len\(\)/g, 'length'],
  [/\b(wallet|GATEKEEPER_NETWORK)\.to_bytes\(\)/g, '$1'],
];

/** Returns the public keys that a Rust text has as constants. */
export function keysIn(rust: string): Readonly<Record<string, string>> {
  const found = rust.matchAll(/^pub const (\w+): Pubkey = pubkey!\("(\w+)"\);$/gm);
  return Object.fromEntries([...found].map(([, name = '', key = '']) => [name, key]));
}

/**
 * Returns the check of the function `is_valid_pass` of a Rust text.
 * @param other Constants that replace those of the text.
 */
export function passCheckOf(rust: string, other: Readonly<Record<string, string>> = {}): PassCheck {
  const [, body] =
    /^pub fn is_valid_pass\(pass: &AccountInfo, wallet: &Pubkey, now: i64\) -> bool \{\n {4}let data = pass\.data\.borrow\(\);\n([\s\S]*?)^\}/m.exec(
      rust,
    ) ?? [];
  if (body === undefined) throw new Error('the text has no function is_valid_pass of the known form');
  const condition = FORMS.reduce((text, [rustForm, form]) => text.replaceAll(rustForm, form), body);
  const unknown = (condition.match(/[a-z_]\w*/gi) ?? []).filter((name) => !NAMES.has(name));
  if (unknown.length > 0 || !/^[\w\s(),&|=>]*$/.test(condition))
    throw new Error(`unknown Rust: ${unknown} in ${condition}`);
  const constants = { ...keysIn(rust), ...other };
  return ({ owner, data }, wallet, now) => {
    const slice = (from: number, to: number) => {
      if (to > data.length) throw new RangeError(`bytes ${from} to ${to} of ${data.length}`);
      return data.slice(from, to);
    };
    return runInNewContext(condition, {
      ...constants,
      ...{ owner, wallet, now, length: data.length },
      byteAt: (at: number) => slice(at, at + 1)[0],
      keyAt: (from: number, to: number) => base58.encode(slice(from, to)),
      i64At: (from: number, to: number) => Buffer.from(slice(from, to)).readBigInt64LE(),
    });
  };
}
