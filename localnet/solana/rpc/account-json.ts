import { base58 } from '@scure/base';
import * as v from 'valibot';
import type { Account } from '../runtime/runtime.ts';
import { Count, maybe } from './parameters.ts';
import { INVALID_REQUEST, RpcError } from './rpc-error.ts';

export const AccountForm = {
  encoding: maybe(v.picklist(['binary', 'base58', 'base64', 'jsonParsed'])),
  dataSlice: maybe(v.object({ offset: Count, length: Count })),
};

type Encoding = 'binary' | 'base58' | 'base64' | 'jsonParsed';
interface Form {
  readonly encoding?: Encoding | null | undefined;
  readonly dataSlice?: { readonly offset: number; readonly length: number } | null | undefined;
}

const LARGEST_BASE58 = 128;
const NEVER = 2n ** 64n - 1n;

/** An account in the form that is asked for. Throws RpcError where base58 would be too long. */
export function accountJson(account: Account, { encoding, dataSlice }: Form, otherwise: Encoding) {
  const { data, lamports, owner, executable } = account;
  const slice = dataSlice ? data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length) : data;
  const form = encoding ?? otherwise;
  return { lamports, data: encoded(slice, form), owner, executable, rentEpoch: NEVER, space: data.length };
}

/** `binary`, the default, is a bare string: the form from before there was a choice. No parser is known: base64. */
function encoded(data: Uint8Array, encoding: Encoding): string | [string, 'base58' | 'base64'] {
  if (encoding === 'base64' || encoding === 'jsonParsed') return [Buffer.from(data).toString('base64'), 'base64'];
  if (data.length > LARGEST_BASE58) {
    const advice = 'please use Base64 encoding';
    throw new RpcError(
      INVALID_REQUEST,
      `Encoded binary (base 58) data should be less than ${LARGEST_BASE58} bytes, ${advice}.`,
    );
  }
  return encoding === 'binary' ? base58.encode(data) : [base58.encode(data), 'base58'];
}
