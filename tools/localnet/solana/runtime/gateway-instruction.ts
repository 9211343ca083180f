import { type Address, getAddressDecoder } from '@solana/kit';
import { GatewayTokenState } from './gateway-token.ts';

/** An instruction of the gateway program. */
export type GatewayInstruction =
  | { readonly type: 'AddGatekeeper' | 'RemoveGatekeeper' | 'BurnToken' }
  | {
      readonly type: 'Issue';
      /** 8 bytes. */
      readonly seed: Uint8Array | undefined;
      /** Seconds. */
      readonly expiry: bigint | undefined;
    }
  | { readonly type: 'SetState'; readonly state: number }
  | { readonly type: 'UpdateExpiry'; readonly expiry: bigint }
  | { readonly type: 'ExpireToken'; readonly network: Address };

const SEED_LENGTH = 8;
const ADDRESS_LENGTH = 32;
/** The features of networks. A test sets the account of a feature itself. */
const NOT_EMULATED = [5, 6];

/** Parses a tag byte and its borsh arguments; undefined for an unknown instruction or extra bytes. */
export function decodeGatewayInstruction(data: Uint8Array): GatewayInstruction | undefined {
  const [tag] = data;
  if (tag === undefined) return undefined;
  if (NOT_EMULATED.includes(tag)) throw new Error(`instruction ${tag} of the gateway program is not emulated`);
  try {
    const reader = readerOf(data.subarray(1));
    const instruction = readArguments(tag, reader);
    return reader.atEnd() ? instruction : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readArguments(tag: number, reader: Reader): GatewayInstruction | undefined {
  switch (tag) {
    case 0:
      return { type: 'AddGatekeeper' };
    case 1:
      return {
        type: 'Issue',
        seed: reader.option(() => reader.bytes(SEED_LENGTH)),
        expiry: reader.option(reader.int64),
      };
    case 2:
      return { type: 'SetState', state: reader.upTo(GatewayTokenState.Revoked) };
    case 3:
      return { type: 'UpdateExpiry', expiry: reader.int64() };
    case 4:
      return { type: 'RemoveGatekeeper' };
    case 7:
      // The first field is unused.
      reader.option(() => reader.bytes(SEED_LENGTH));
      return { type: 'ExpireToken', network: getAddressDecoder().decode(reader.bytes(ADDRESS_LENGTH)) };
    case 8:
      return { type: 'BurnToken' };
    default:
      return undefined;
  }
}

type Reader = ReturnType<typeof readerOf>;

/** Throws a RangeError at the end of the bytes, and for a value that borsh does not have. */
function readerOf(data: Uint8Array) {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  let offset = 0;
  const reader = {
    atEnd: () => offset === data.length,
    bytes(length: number): Uint8Array {
      if (offset + length > data.length) throw new RangeError('no more bytes');
      offset += length;
      return data.slice(offset - length, offset);
    },
    int64(): bigint {
      const value = view.getBigInt64(offset, true);
      offset += 8;
      return value;
    },
    upTo(most: number): number {
      const [value] = reader.bytes(1) as unknown as [number];
      if (value > most) throw new RangeError('no such variant');
      return value;
    },
    option: <Value>(read: () => Value): Value | undefined => (reader.upTo(1) === 1 ? read() : undefined),
  };
  return reader;
}
