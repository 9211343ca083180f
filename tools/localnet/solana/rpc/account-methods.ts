import { base58 } from '@scure/base';
import * as v from 'valibot';
import { accountAt } from '../chain/accounts.ts';
import { bankOf } from '../chain/ledger.ts';
import { rentExemptMinimum } from '../runtime/rent.ts';
import type { Account } from '../runtime/runtime.ts';
import { AccountForm, encodeAccount } from './account-json.ts';
import {
  AnAddress,
  blockFor,
  Count,
  configObject,
  contextReply,
  optional,
  parseParameters,
  ReadFields,
} from './parameters.ts';
import { invalidParamsError } from './rpc-error.ts';
import type { Methods } from './solana-node.ts';

const AccountConfig = configObject({ ...ReadFields, ...AccountForm });
const ACCOUNTS_MAX_COUNT = 100;
const FILTERS_MAX_COUNT = 4;

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
const ProgramConfig = configObject({
  ...ReadFields,
  ...AccountForm,
  filters: optional(v.array(Filter)),
  withContext: optional(v.boolean()),
  sortResults: optional(v.boolean()),
});

export const accountMethods: Methods = {
  getAccountInfo({ ledger }, params) {
    const [address, form] = parseParameters(params, AnAddress, AccountConfig);
    const block = blockFor(ledger, form);
    const account = bankOf(ledger, block).account(address);
    return contextReply(block, account ? encodeAccount(account, form, 'binary') : null);
  },

  getMultipleAccounts({ ledger }, params) {
    const [addresses, form] = parseParameters(params, v.array(AnAddress), AccountConfig);
    if (addresses.length > ACCOUNTS_MAX_COUNT)
      throw invalidParamsError(`Too many inputs provided; max ${ACCOUNTS_MAX_COUNT}`);
    const block = blockFor(ledger, form);
    const accounts = addresses.map(bankOf(ledger, block).account);
    return contextReply(
      block,
      accounts.map((account) => (account ? encodeAccount(account, form, 'base64') : null)),
    );
  },

  getProgramAccounts({ ledger }, params) {
    const [program, { filters, withContext, ...form }] = parseParameters(params, AnAddress, ProgramConfig);
    if (filters && filters.length > FILTERS_MAX_COUNT) {
      throw invalidParamsError(`Too many filters provided; max ${FILTERS_MAX_COUNT}`);
    }
    const tests = (filters ?? []).map(predicateFor);
    const block = blockFor(ledger, form);
    const found = [...ledger.accounts.keys()].flatMap((pubkey) => {
      const account = accountAt(ledger.accounts, pubkey, block.slot);
      if (account?.owner !== program || !tests.every((test) => test(account))) return [];
      return [{ pubkey, account: encodeAccount(account, form, 'binary') }];
    });
    return withContext ? contextReply(block, found) : found;
  },

  getBalance({ ledger }, params) {
    const [address, reading] = parseParameters(params, AnAddress, configObject(ReadFields));
    const block = blockFor(ledger, reading);
    return contextReply(block, bankOf(ledger, block).account(address)?.lamports ?? 0);
  },

  getMinimumBalanceForRentExemption({ ledger }, params) {
    const [bytes] = parseParameters(params, Count, configObject(ReadFields));
    return rentExemptMinimum(bytes, ledger.lamportsPerByte);
  },
};

function predicateFor(filter: v.InferOutput<typeof Filter>): (account: Account) => boolean {
  if ('dataSize' in filter) return ({ data }) => data.length === filter.dataSize;
  const { offset, bytes, encoding } = filter.memcmp;
  const wanted = encoding === 'base64' ? Buffer.from(bytes, 'base64') : Buffer.from(decodeBase58(bytes));
  return ({ data }) => wanted.equals(data.subarray(offset, offset + wanted.length));
}

function decodeBase58(text: string): Uint8Array {
  try {
    return base58.decode(text);
  } catch {
    throw invalidParamsError('Invalid param: data could not be decoded: invalid base58 encoding');
  }
}
