import { GatewayToken } from '@identity.com/solana-gateway-ts';
import { base58 } from '@scure/base';
import { PublicKey } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import recorded from '../../vectors/solana-gateway.json' with { type: 'json' };
import { guideBlock } from './pass-guide.ts';

/** The Rust texts of the guide, which nothing here compiles: they have the conditions that are right for the accounts of the real program. */

const NOW = BigInt(recorded.clockUnixSeconds);

interface Account {
  readonly owner: string;
  readonly data: Uint8Array;
  readonly wallet: string;
  readonly network: string;
}
const keyAt = ({ data }: Account, from: number) => base58.encode(data.slice(from, from + 32));
const expiryOf = ({ data }: Account) => Buffer.from(data).readBigInt64LE(101);

/** The conditions of `is_valid_pass` in their order, and their meaning. */
const CONDITIONS: readonly (readonly [rust: string, holds: (account: Account) => boolean])[] = [
  ['*pass.owner == GATEWAY_PROGRAM', ({ owner }) => owner === recorded.program],
  ['data.len() >= 101', ({ data }) => data.length >= 101],
  ['data[0] == 0', ({ data }) => data[0] === 0],
  ['data[1] == 0', ({ data }) => data[1] === 0],
  ['data[2..34] == wallet.to_bytes()', (account) => keyAt(account, 2) === account.wallet],
  ['data[34] == 0', ({ data }) => data[34] === 0],
  ['data[35..67] == GATEKEEPER_NETWORK.to_bytes()', (account) => keyAt(account, 35) === account.network],
  ['data[99] == 0', ({ data }) => data[99] === 0],
  [
    '(data[100] == 0 || (data[100] == 1 && data.len() >= 109 && i64::from_le_bytes(data[101..109].try_into().unwrap()) >= now))',
    (account) =>
      account.data[100] === 0 || (account.data[100] === 1 && account.data.length >= 109 && expiryOf(account) >= NOW),
  ],
];
const isValid = (account: Account) => CONDITIONS.every(([, holds]) => holds(account));

/** The account of a pass after each step that left one. */
const accounts: readonly Account[] = recorded.steps.flatMap((step) => {
  const { pass, wallet, network } = step as typeof step & { wallet?: string; network: string };
  if (typeof pass?.data !== 'string' || wallet === undefined) return [];
  return [{ owner: recorded.program, data: Uint8Array.from(Buffer.from(pass.data, 'hex')), wallet, network }];
});

/** Returns the answer of the protocol's own client. */
const witness = ({ owner, data }: Account) => {
  const account = { data: Buffer.from(data), owner: new PublicKey(owner), executable: false, lamports: 1 };
  return GatewayToken.fromAccount(account, PublicKey.default).isValid();
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(NOW) * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('is_valid_pass of the guide', () => {
  it('has these conditions and no others', () => {
    const [, body = ''] =
      /^pub fn is_valid_pass\(pass: &AccountInfo, wallet: &Pubkey, now: i64\) -> bool \{\n {4}let data = pass\.data\.borrow\(\);\n([\s\S]*?)^\}/m.exec(
        guideBlock('rust', 'pass\\.rs'),
      ) ?? [];
    const text = body
      .replaceAll(/\/\/.*$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    expect(text).toBe(CONDITIONS.map(([rust]) => rust).join(' && '));
  });

  it('agrees with the protocol’s own client about every recorded account', () => {
    expect(accounts.map(isValid)).toEqual(accounts.map(witness));
    const valid = accounts.filter(isValid);
    expect([accounts.length > 300, valid.length > 50, accounts.length - valid.length > 50]).toEqual([true, true, true]);
    const expiring = valid.filter(({ data }) => data[100] === 1);
    expect(expiring.length > 10 && expiring.length < valid.length).toBe(true);
  });

  it('refuses an account with any other byte, except in the gatekeeper that issued it and in a later expiry', () => {
    const [example] = accounts.filter((each) => isValid(each) && each.data[100] === 1) as [Account];
    for (let at = 0; at < 101; at += 1) {
      const data = example.data.with(at, (example.data[at] as number) ^ 0xff);
      expect([at, isValid({ ...example, data })]).toEqual([at, at >= 67 && at < 99]);
    }
  });
});

describe('the program of the guide', () => {
  const program = guideBlock('rust', 'program\\.rs');

  it('refuses a wallet that does not sign, and then one without a valid pass', () => {
    const guards = [...program.matchAll(/^ {4}if (.+) \{\n {8}return Err\((.+)\);\n {4}\}$/gm)];
    expect(guards.map(([, condition, error]) => [condition, error])).toEqual([
      ['!wallet.is_signer', 'ProgramError::MissingRequiredSignature'],
      ['!is_valid_pass(pass, wallet.key, Clock::get()?.unix_timestamp)', 'NO_PASS'],
    ]);
    expect(program).toMatch(/let \[wallet, pass, \.\.\] = accounts else \{\n {8}return Err/);
    expect(program.trimEnd()).toMatch(/\n {4}\}\n {4}Ok\(\(\)\)\n\}$/);
  });
});
