import { base58 } from '@scure/base';

/** Reads the transfer hook of the guide: which accounts it requests, and which it checks. The project has no Rust. */

/** A seed of an address that Token-2022 derives. */
type Seed =
  | { readonly type: 'account-data'; readonly account: number; readonly at: number; readonly length: number }
  | { readonly type: 'literal'; readonly bytes: Uint8Array }
  | { readonly type: 'account-key'; readonly account: number };

/** An account that Token-2022 adds: a constant of the text, or an address of the program at that place with these seeds. */
export type ExtraAccount =
  | { readonly constant: string }
  | { readonly program: number; readonly seeds: readonly Seed[]; readonly tokenAccount: number };

const only = (text: string, pattern: RegExp): readonly string[] => {
  const found = pattern.exec(text);
  if (found === null) throw new Error(`the text of the hook does not match ${pattern}`);
  return found.slice(1) as string[];
};

function seedOf(text: string, tokenAccount: number): Seed {
  const [, kind = '', fields = ''] = /^Seed::(\w+) \{ (.+) \}$/.exec(text) ?? [];
  const number = (name: string) => {
    const [value = ''] = only(fields, new RegExp(`\\b${name}: (\\w+)`));
    return value === 'token_account' ? tokenAccount : Number(value);
  };
  switch (kind) {
    case 'AccountData':
      return {
        type: 'account-data',
        account: number('account_index'),
        at: number('data_index'),
        length: number('length'),
      };
    case 'AccountKey':
      return { type: 'account-key', account: number('index') };
    case 'Literal': {
      const [, word, byte, count] = /^bytes: (?:b"(\w+)"\.to_vec\(\)|vec!\[(\d+); (\d+)\])$/.exec(fields) ?? [];
      if (word !== undefined) return { type: 'literal', bytes: new TextEncoder().encode(word) };
      if (count === undefined) throw new Error(`unknown bytes: ${fields}`);
      return { type: 'literal', bytes: new Uint8Array(Number(count)).fill(Number(byte)) };
    }
    default:
      throw new Error(`unknown seed: ${text}`);
  }
}

/** Returns the accounts that `extra_accounts` lists, in order. */
export function extraAccountsOf(rust: string): ExtraAccount[] {
  const [body = ''] = only(rust, /^fn extra_accounts\(\)[^{]*\{\n([\s\S]*?)^\}/m);
  const [seeds = '', program = ''] = only(
    body,
    /^ {4}let pass_of = \|token_account: u8\| \{\n {8}let seeds = \[\n([\s\S]*?)^ {8}\];\n {8}ExtraAccountMeta::new_external_pda_with_seeds\((\d+), &seeds, false, false\)\n {4}\};$/m,
  );
  const texts = seeds
    .trim()
    .split(/,\n\s*/)
    .map((text) => text.replace(/,$/, ''));
  const [list = ''] = only(body, /^ {4}Ok\(\[\n([\s\S]*?)^ {4}\]\)\n$/m);
  return list
    .trim()
    .split('\n')
    .map((line) => {
      const [, constant, place] =
        /^(?:ExtraAccountMeta::new_with_pubkey\(&(\w+), false, false\)\?|pass_of\((\d+)\)\?),$/.exec(line.trim()) ?? [];
      if (constant !== undefined) return { constant };
      if (place === undefined) throw new Error(`unknown account: ${line}`);
      const tokenAccount = Number(place);
      return { program: Number(program), seeds: texts.map((text) => seedOf(text, tokenAccount)), tokenAccount };
    });
}

/** Returns the names that `execute` gives to its accounts, in order. */
export const placesOf = (rust: string): readonly string[] =>
  (only(rust, /let \[(source[^\]]+), \.\.\] = accounts\s+else/)[0] ?? '').split(', ');

/** Returns the places of the accounts that `execute` checks: the token account, and the pass of its wallet. */
export function checkedBy(rust: string): readonly { readonly tokenAccount: number; readonly pass: number }[] {
  const places = placesOf(rust);
  const [pairs = ''] = only(
    rust,
    /for \(token_account, pass\) in \[(.+)\] \{\n\s+if !is_valid_pass\(pass, &wallet_of\(token_account\)\?, now\) \{\n\s+return Err\(NO_PASS\);/,
  );
  return [...pairs.matchAll(/\((\w+), (\w+)\)/g)].map(([, tokenAccount = '', pass = '']) => ({
    tokenAccount: places.indexOf(tokenAccount),
    pass: places.indexOf(pass),
  }));
}

/** Returns where `wallet_of` reads the wallet in the data of a token account. */
export function walletBytesOf(rust: string): readonly [number, number] {
  const [from, to] = only(rust, /fn wallet_of[\s\S]*?data\.get\((\d+)\.\.(\d+)\)/);
  return [Number(from), Number(to)];
}

const SEED_TYPES = { literal: 1, 'account-key': 3, 'account-data': 4 } as const;

function bytesOfSeed(seed: Seed): number[] {
  const type = SEED_TYPES[seed.type];
  switch (seed.type) {
    case 'literal':
      return [type, seed.bytes.length, ...seed.bytes];
    case 'account-key':
      return [type, seed.account];
    case 'account-data':
      return [type, seed.account, seed.at, seed.length];
    default:
      return seed satisfies never;
  }
}

/** The discriminator of the hook's instruction Execute. */
const EXECUTE = [105, 37, 101, 197, 75, 251, 102, 26];
const CONFIG_SIZE = 32;

/** Returns the content of the list of extra accounts, in the format of the interface: entries of 35 bytes behind their count. */
export function listOf(accounts: readonly ExtraAccount[], constants: Readonly<Record<string, string>>): Uint8Array {
  const entries = accounts.map((account) => {
    const config =
      'constant' in account
        ? [...base58.decode(constants[account.constant] ?? '')]
        : account.seeds.flatMap(bytesOfSeed);
    if (config.length > CONFIG_SIZE) throw new Error('the seeds do not fit');
    const discriminator = 'constant' in account ? 0 : 128 + account.program;
    return [discriminator, ...config, ...new Array(CONFIG_SIZE - config.length).fill(0), 0, 0];
  });
  const number = (value: number) => [...new Uint8Array(Uint32Array.of(value).buffer)];
  const content = [...number(entries.length), ...entries.flat()];
  return Uint8Array.from([...EXECUTE, ...number(content.length), ...content]);
}
