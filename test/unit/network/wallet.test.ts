import { base58 } from '@scure/base';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { canonicalWallet, canonicalWalletOfAnyChain, parseSolanaAddress } from '../../../src/network/wallet.ts';

/** The test cases of EIP-55: upper case, lower case and mixed case. */
const EIP55 = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];
const [MIXED = ''] = EIP55.slice(4);
/** The zero address. No key has it, and the contract mints nothing to it. */
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;
const SOLANA = 'cidNdd9GGhpgUJRTrto1A1ayN2PKAuaW7pg1rqj6bRD';

const upper = (address: string) => `0x${address.slice(2).toUpperCase()}`;
const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const hex = (data: Uint8Array) => `0x${[...data].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;

/** Returns the address with the other case at this index, or undefined if the index has no letter. */
function flipCase(address: string, at: number): string | undefined {
  const letter = address[at] ?? '';
  const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
  return other === letter ? undefined : address.slice(0, at) + other + address.slice(at + 1);
}

afterEach(() => {
  vi.restoreAllMocks();
});

describe('canonicalWallet on Ethereum', () => {
  it.each(EIP55)('returns %s in its checksummed form for any case', (address) => {
    expect(canonicalWallet('ethereum', address)).toBe(address);
    expect(canonicalWallet('ethereum', address.toLowerCase())).toBe(address);
    expect(canonicalWallet('ethereum', upper(address))).toBe(address);
  });

  it.each([2, 3, 4, 5, 6, 7].map((index) => EIP55[index] ?? ''))(
    'refuses %s with the case of one letter flipped',
    (address) => {
      const wrong = [...address].flatMap((_, at) => (at < 2 ? [] : (flipCase(address, at) ?? [])));
      expect(wrong.length).toBeGreaterThan(5);
      expect(wrong.filter((each) => canonicalWallet('ethereum', each) !== undefined)).toEqual([]);
    },
  );

  it.each`
    why                          | address
    ${'an upper-case prefix'}    | ${`0X${MIXED.slice(2)}`}
    ${'no prefix'}               | ${MIXED.slice(2)}
    ${'one digit too few'}       | ${MIXED.slice(0, -1).toLowerCase()}
    ${'one digit too many'}      | ${`${MIXED.toLowerCase()}0`}
    ${'a letter beyond f'}       | ${`0x${'g'.repeat(40)}`}
    ${'a space at the start'}    | ${` ${MIXED}`}
    ${'a line break at the end'} | ${`${MIXED}\n`}
    ${'no characters'}           | ${''}
    ${'only the prefix'}         | ${'0x'}
    ${'digits of other scripts'} | ${`0x${'٣'.repeat(40)}`}
    ${'the format of Solana'}    | ${SOLANA}
    ${'only zeros'}              | ${ZERO_ADDRESS}
  `('refuses an Ethereum wallet with $why', ({ address }) => {
    expect(canonicalWallet('ethereum', address)).toBeUndefined();
  });

  it('returns a canonical form whose canonical form is the same', () => {
    fc.assert(
      fc.property(bytes(20), (address) => {
        const canonical = canonicalWallet('ethereum', hex(address)) ?? '';
        expect(canonical.toLowerCase()).toBe(hex(address));
        expect(canonicalWallet('ethereum', upper(hex(address)))).toBe(canonical);
        expect(canonicalWallet('ethereum', canonical)).toBe(canonical);
      }),
    );
  });
});

describe('canonicalWallet on Solana', () => {
  it('accepts the base58 form of any 32 bytes as a Solana wallet', () => {
    fc.assert(
      fc.property(bytes(32), (key) => {
        const address = base58.encode(key);
        expect(canonicalWallet('solana', address)).toBe(address);
        expect(parseSolanaAddress(address)).toBe(address);
      }),
    );
  });

  it('refuses a Solana wallet with another number of bytes', () => {
    const other = fc.oneof(
      bytes(31),
      bytes(33),
      fc.uint8Array({ maxLength: 64 }).filter(({ length }) => length !== 32),
    );
    fc.assert(
      fc.property(other, (key) => {
        expect(canonicalWallet('solana', base58.encode(key))).toBeUndefined();
      }),
    );
  });

  it.each`
    why                            | address
    ${'a zero'}                    | ${SOLANA.replace('c', '0')}
    ${'a capital o'}               | ${SOLANA.replace('c', 'O')}
    ${'a capital i'}               | ${SOLANA.replace('c', 'I')}
    ${'a small l'}                 | ${SOLANA.replace('c', 'l')}
    ${'31 zero bytes'}             | ${'1'.repeat(31)}
    ${'33 zero bytes'}             | ${'1'.repeat(33)}
    ${'44 digits, too many bytes'} | ${'z'.repeat(44)}
    ${'a line break at the end'}   | ${`${SOLANA}\n`}
    ${'no characters'}             | ${''}
    ${'the format of Ethereum'}    | ${MIXED}
  `('refuses a Solana wallet with $why', ({ address }) => {
    expect(canonicalWallet('solana', address)).toBeUndefined();
  });

  it('accepts the all-zero key, which has the shortest text', () => {
    expect(canonicalWallet('solana', '1'.repeat(32))).toBe('1'.repeat(32));
  });

  it('refuses a very long text without decoding it, which would take quadratic time', () => {
    // Decoding needs large numbers. Other files of this process may have loaded the codec before, so it cannot be replaced here.
    const largeNumber = vi.spyOn(globalThis, 'BigInt');
    expect(canonicalWallet('solana', 'z'.repeat(1_000_000))).toBeUndefined();
    expect(largeNumber).not.toHaveBeenCalled();
    expect(canonicalWallet('solana', SOLANA)).toBe(SOLANA);
    expect(largeNumber).toHaveBeenCalled();
  });
});

describe('canonicalWalletOfAnyChain', () => {
  it('recognizes the chain of a wallet by its format', () => {
    expect(canonicalWalletOfAnyChain(MIXED.toLowerCase())).toBe(MIXED);
    expect(canonicalWalletOfAnyChain(SOLANA)).toBe(SOLANA);
    expect(canonicalWalletOfAnyChain(flipCase(MIXED, 3) ?? '')).toBeUndefined();
    expect(canonicalWalletOfAnyChain(ZERO_ADDRESS)).toBeUndefined();
  });

  it('never accepts a text as a wallet of both chains, and returns a canonical form', () => {
    const addresses = fc.oneof(fc.string(), bytes(20).map(hex), bytes(32).map(base58.encode));
    fc.assert(
      fc.property(addresses, (address) => {
        const [ethereum, solana] = [canonicalWallet('ethereum', address), canonicalWallet('solana', address)];
        expect(ethereum !== undefined && solana !== undefined).toBe(false);
        const canonical = canonicalWalletOfAnyChain(address);
        expect(canonical).toBe(ethereum ?? solana);
        if (canonical !== undefined) expect(canonicalWalletOfAnyChain(canonical)).toBe(canonical);
      }),
    );
  });
});
