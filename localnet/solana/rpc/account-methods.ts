import { base58 } from '@scure/base';
import * as v from 'valibot';
import { accountAt } from '../chain/accounts.ts';
import { bankOf } from '../chain/ledger.ts';
import { rentExemptMinimum } from '../runtime/rent.ts';
import type { Account } from '../runtime/runtime.ts';
import { AccountForm, accountJson } from './account-json.ts';
import type { Methods } from './methods.ts';
import { AnAddress, blockFor, Count, config, inContext, maybe, parameters, Reading } from './parameters.ts';
import { invalidParams } from './rpc-error.ts';

const AccountConfig = config({ ...Reading, ...AccountForm });
const MOST_ACCOUNTS = 100;
const MOST_FILTERS = 4;

const Filter = v.union([
  v.object({ dataSize: Count }),
  v.object({
    memcmp: v.object({
      offset: Count,
      bytes: v.string(),
      encoding: v.nullish(v.picklist(['base58', 'base64']), 'base58'),
    }),
  }),
]);
const ProgramConfig = config({
  ...Reading,
  ...AccountForm,
  filters: maybe(v.array(Filter)),
  withContext: maybe(v.boolean()),
  sortResults: maybe(v.boolean()),
});

export const accountMethods: Methods = {
  getAccountInfo({ ledger }, params) {
    const [address, form] = parameters(params, AnAddress, AccountConfig);
    const block = blockFor(ledger, form);
    const account = bankOf(ledger, block).account(address);
    return inContext(block, account ? accountJson(account, form, 'binary') : null);
  },

  getMultipleAccounts({ ledger }, params) {
    const [addresses, form] = parameters(params, v.array(AnAddress), AccountConfig);
    if (addresses.length > MOST_ACCOUNTS) throw invalidParams(`Too many inputs provided; max ${MOST_ACCOUNTS}`);
    const block = blockFor(ledger, form);
    const accounts = addresses.map(bankOf(ledger, block).account);
    return inContext(
      block,
      accounts.map((account) => (account ? accountJson(account, form, 'base64') : null)),
    );
  },

  getProgramAccounts({ ledger }, params) {
    const [program, { filters, withContext, ...form }] = parameters(params, AnAddress, ProgramConfig);
    if (filters && filters.length > MOST_FILTERS) {
      throw invalidParams(`Too many filters provided; max ${MOST_FILTERS}`);
    }
    const tests = (filters ?? []).map(testOf);
    const block = blockFor(ledger, form);
    const found = [...ledger.accounts.keys()].flatMap((pubkey) => {
      const account = accountAt(ledger.accounts, pubkey, block.slot);
      if (account?.owner !== program || !tests.every((test) => test(account))) return [];
      return [{ pubkey, account: accountJson(account, form, 'binary') }];
    });
    return withContext ? inContext(block, found) : found;
  },

  getBalance({ ledger }, params) {
    const [address, reading] = parameters(params, AnAddress, config(Reading));
    const block = blockFor(ledger, reading);
    return inContext(block, bankOf(ledger, block).account(address)?.lamports ?? 0);
  },

  getMinimumBalanceForRentExemption(_, params) {
    const [bytes] = parameters(params, Count, config(Reading));
    return rentExemptMinimum(bytes);
  },
};

function testOf(filter: v.InferOutput<typeof Filter>): (account: Account) => boolean {
  if ('dataSize' in filter) return ({ data }) => data.length === filter.dataSize;
  const { offset, bytes, encoding } = filter.memcmp;
  const wanted = encoding === 'base64' ? Buffer.from(bytes, 'base64') : Buffer.from(fromBase58(bytes));
  return ({ data }) => wanted.equals(data.subarray(offset, offset + wanted.length));
}

function fromBase58(text: string): Uint8Array {
  try {
    return base58.decode(text);
  } catch {
    throw invalidParams('Invalid param: data could not be decoded: invalid base58 encoding');
  }
}
