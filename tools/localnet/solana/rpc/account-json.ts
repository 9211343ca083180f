import { base58 } from '@scure/base';
import * as v from 'valibot';
import type { Account } from '../runtime/runtime.ts';
import { Count, optional } from './parameters.ts';
import { INVALID_REQUEST, RpcError } from './rpc-error.ts';

export const AccountForm = {
  encoding: optional(v.picklist(['binary', 'base58', 'base64', 'jsonParsed'])),
  dataSlice: optional(v.object({ offset: Count, length: Count })),
};

type Encoding = 'binary' | 'base58' | 'base64' | 'jsonParsed';
interface Form {
  readonly encoding?: Encoding | null | undefined;
  readonly dataSlice?: { readonly offset: number; readonly length: number } | null | undefined;
}

const BASE58_MAX_BYTES = 128;
const RENT_EPOCH_NEVER = 2n ** 64n - 1n;

/** Returns an account in the requested form. Throws RpcError if base58 would be too long. */
export function encodeAccount(account: Account, { encoding, dataSlice }: Form, otherwise: Encoding) {
  const { data, lamports, owner, executable } = account;
  const slice = dataSlice ? data.subarray(dataSlice.offset, dataSlice.offset + dataSlice.length) : data;
  const form = encoding ?? otherwise;
  return {
    lamports,
    data: encodeData(slice, form),
    owner,
    executable,
    rentEpoch: RENT_EPOCH_NEVER,
    space: data.length,
  };
}

/** `binary`, the default, is a bare string, the oldest form. This node has no parsers, so `jsonParsed` becomes base64. */
function encodeData(data: Uint8Array, encoding: Encoding): string | [string, 'base58' | 'base64'] {
  if (encoding === 'base64' || encoding === 'jsonParsed') return [Buffer.from(data).toString('base64'), 'base64'];
  if (data.length > BASE58_MAX_BYTES) {
    const advice = 'please use Base64 encoding';
    throw new RpcError(
      INVALID_REQUEST,
      `Encoded binary (base 58) data should be less than ${BASE58_MAX_BYTES} bytes, ${advice}.`,
    );
  }
  return encoding === 'binary' ? base58.encode(data) : [base58.encode(data), 'base58'];
}
