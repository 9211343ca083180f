import { GatewayToken } from '@identity.com/solana-gateway-ts';
import { PublicKey } from '@solana/web3.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import recorded from '../../vectors/solana-gateway.json' with { type: 'json' };
import { guideBlock } from './pass-guide.ts';
import { type PassAccount, passCheckOf } from './rust-conditions.ts';

/** The Rust condition of the guide, applied to the accounts that the real program wrote. `npm ci` has no compiler for Rust. */

const RUST = guideBlock('rust', 'pass\\.rs');
const PROGRAM = recorded.program;
const NOW = BigInt(recorded.clockUnixSeconds);

interface Recorded {
  readonly pass: PassAccount;
  readonly wallet: string;
  readonly network: string;
}

/** The account of a pass after each step that left one. */
const accounts: readonly Recorded[] = recorded.steps.flatMap((step) => {
  const { pass, wallet, network } = step as typeof step & { wallet?: string; network: string };
  if (typeof pass?.data !== 'string' || wallet === undefined) return [];
  return [{ pass: { owner: PROGRAM, data: Uint8Array.from(Buffer.from(pass.data, 'hex')) }, wallet, network }];
});

const isValid = ({ pass, wallet, network }: Recorded, now = NOW) =>
  passCheckOf(RUST, { GATEKEEPER_NETWORK: network })(pass, wallet, now);

/** Returns the answer of the protocol's own client. */
const witness = ({ pass: { owner, data } }: Recorded) => {
  const account = { data: Buffer.from(data), owner: new PublicKey(owner), executable: false, lamports: 1 };
  return GatewayToken.fromAccount(account, PublicKey.default).isValid();
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Number(NOW) * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const hasExpiry = ({ pass: { data } }: Recorded) => data[100] === 1;
const valid = accounts.filter((each) => isValid(each));
const expiring = valid.filter(hasExpiry);
const [example] = expiring as [Recorded];

/** Returns the account with another byte. */
const withByte = (each: Recorded, at: number, byte: number): Recorded => {
  const data = each.pass.data.with(at, byte);
  return { ...each, pass: { ...each.pass, data } };
};

describe('is_valid_pass of the guide', () => {
  it('agrees with the protocol’s own client about every recorded account', () => {
    expect(accounts.map((each) => isValid(each))).toEqual(accounts.map(witness));
    expect(accounts.length).toBeGreaterThan(300);
    expect([valid.length > 50, accounts.length - valid.length > 50, expiring.length > 10]).toEqual([true, true, true]);
    expect(valid.some((each) => !hasExpiry(each))).toBe(true);
  });

  it('admits in the second of the expiry, and refuses in the next one', () => {
    for (const each of expiring) {
      const expiry = Buffer.from(each.pass.data).readBigInt64LE(101);
      expect([isValid(each, expiry), isValid(each, expiry + 1n)]).toEqual([true, false]);
    }
  });

  it('refuses an account with any other byte, except in the gatekeeper that issued it and in a later expiry', () => {
    for (let at = 0; at < 101; at += 1) {
      const changed = withByte(example, at, (example.pass.data[at] as number) ^ 0xff);
      expect([at, isValid(changed)]).toEqual([at, at >= 67 && at < 99]);
    }
    // Other values of the same fields.
    for (const at of [0, 1, 34, 99, 100]) expect(isValid(withByte(example, at, 2))).toBe(false);
    expect(isValid(withByte(example, 108, 0x80)), 'a negative expiry').toBe(false);
  });

  it('refuses an account of another program, of another wallet and of another gatekeeper network', () => {
    const [other = ''] = recorded.gatekeepers;
    expect(isValid({ ...example, pass: { ...example.pass, owner: other } })).toBe(false);
    expect(isValid({ ...example, wallet: other })).toBe(false);
    expect(isValid({ ...example, network: other })).toBe(false);
  });

  it('refuses an account of any shorter length, and does not panic', () => {
    for (let length = 0; length < 109; length += 1) {
      const data = example.pass.data.slice(0, length);
      expect(isValid({ ...example, pass: { ...example.pass, data } })).toBe(false);
    }
    // An old build of the program made accounts without room for an expiry.
    const data = withByte(example, 100, 0).pass.data.slice(0, 101);
    expect(isValid({ ...example, pass: { ...example.pass, data } })).toBe(true);
  });

  it('is read as a whole: a text with an unknown expression is refused', () => {
    expect(() => passCheckOf(RUST.replace('data[0] == 0', 'data.is_empty()'))).toThrow('unknown Rust');
    expect(() => passCheckOf('fn other() {}')).toThrow('no function');
    const withoutOwner = passCheckOf(RUST.replace(/\*pass\.owner == GATEWAY_PROGRAM\s*&& /, ''), {
      GATEKEEPER_NETWORK: example.network,
    });
    expect(withoutOwner({ ...example.pass, owner: example.wallet }, example.wallet, NOW)).toBe(true);
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
