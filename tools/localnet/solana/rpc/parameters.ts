import { type Address, isAddress } from '@solana/kit';
import * as v from 'valibot';
import { type Block, blockAt, type Commitment } from '../chain/blocks.ts';
import type { Ledger } from '../chain/ledger.ts';
import { invalidParamsError, MIN_CONTEXT_SLOT, RpcError } from './rpc-error.ts';

/** Valid addresses: decoding base58 takes longer than the rest of a read, and the same addresses recur. */
const valid = new Set<string>();
const VALID_MAX_COUNT = 10_000;

function isValidAddress(text: string): boolean {
  if (valid.has(text)) return true;
  if (!isAddress(text)) return false;
  if (valid.size >= VALID_MAX_COUNT) valid.clear();
  valid.add(text);
  return true;
}

export const AnAddress = v.pipe(
  v.string('must be a string'),
  v.check(isValidAddress, 'Invalid'),
  v.transform((address) => address as Address),
);
export const Signature = v.pipe(v.string(), v.regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/, 'Invalid'));
export const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Like an option in serde: a field may be absent or null. */
export const optional = <Schema extends v.GenericSchema>(schema: Schema) => v.nullish(schema);

const aCommitment = v.picklist(['processed', 'confirmed', 'finalized']);
export const ReadFields = { commitment: optional(aCommitment), minContextSlot: optional(Count) };

/** The configuration object, the last parameter of most methods. */
export const configObject = <Fields extends v.ObjectEntries>(fields: Fields) =>
  v.pipe(
    v.unknown(),
    v.transform((given) => given ?? {}),
    v.object(fields),
  );

/** Parses positional parameters. Throws RpcError. */
export function parseParameters<const Schemas extends readonly v.GenericSchema[]>(
  params: readonly unknown[],
  ...schemas: Schemas
): { -readonly [Position in keyof Schemas]: v.InferOutput<Schemas[Position]> } {
  const required = schemas.findLastIndex((schema) => !v.safeParse(schema, undefined).success) + 1;
  if (params.length < required) {
    throw invalidParamsError(`\`params\` should have at least ${required} argument(s)`);
  }
  if (params.length > schemas.length) {
    throw invalidParamsError(`Invalid parameters: too many: expected at most ${schemas.length}, got ${params.length}`);
  }
  const outputs = schemas.map((schema, position) => {
    const parsed = v.safeParse(schema, params[position]);
    if (parsed.success) return parsed.output;
    const [issue] = parsed.issues;
    const path = v.getDotPath(issue);
    throw invalidParamsError(`Invalid param: ${path === null ? '' : `${path}: `}${issue.message}`);
  });
  return outputs as { -readonly [Position in keyof Schemas]: v.InferOutput<Schemas[Position]> };
}

interface ReadOptions {
  readonly commitment?: Commitment | null | undefined;
  readonly minContextSlot?: number | null | undefined;
}

/** Returns the block to read, `finalized` by default. Throws RpcError if it is too old. */
export function blockFor({ chain }: Ledger, { commitment, minContextSlot }: ReadOptions): Block {
  const block = blockAt(chain, commitment ?? 'finalized');
  if (block.slot < (minContextSlot ?? 0)) {
    throw new RpcError(MIN_CONTEXT_SLOT, 'Minimum context slot has not been reached', { contextSlot: block.slot });
  }
  return block;
}

/** The version of Agave with the same answers. */
export const API_VERSION = '3.0.6';

/** Returns the answer of a method that reads state. */
export function contextReply<Value>({ slot }: Block, value: Value) {
  return { context: { slot, apiVersion: API_VERSION }, value };
}
