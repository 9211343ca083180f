import {
  type Encoder,
  fixDecoderSize,
  fixEncoderSize,
  getAddressDecoder,
  getBytesDecoder,
  getBytesEncoder,
  getConstantEncoder,
  getHiddenPrefixEncoder,
  getI64Decoder,
  getI64Encoder,
  getNullableDecoder,
  getNullableEncoder,
  getStructDecoder,
  getStructEncoder,
  getU8Decoder,
  getU8Encoder,
} from '@solana/kit';

/**
 * The used part of the gateway program's interface (identity.com, solana-gateway-ts 0.12.0): one byte for the instruction, then
 * its arguments in borsh. An option is one byte, followed by the value if it has one.
 */

const instruction = <Arguments>(tag: number, encoder: Encoder<Arguments>) =>
  getHiddenPrefixEncoder(encoder, [getConstantEncoder(Uint8Array.of(tag))]);

export const ADD_GATEKEEPER = 0;
export const ISSUE = 1;
export const SET_STATE = 2;
export const UPDATE_EXPIRY = 3;
export const REMOVE_GATEKEEPER = 4;
export const ADD_FEATURE = 5;
export const REMOVE_FEATURE = 6;
/** Signed by the owner of the token, usually for a dApp that accepts it once. */
export const EXPIRE_TOKEN = 7;
export const BURN_TOKEN = 8;

/** Issue: the seed of the token's address unless it is the wallet's first, and the expiry in Unix seconds. */
export const issueData = instruction(
  ISSUE,
  getStructEncoder([
    ['seed', getNullableEncoder(fixEncoderSize(getBytesEncoder(), 8))],
    ['expiry', getNullableEncoder(getI64Encoder())],
  ]),
);

export const setStateData = instruction(SET_STATE, getU8Encoder());

/** UpdateExpiry: Unix seconds. */
export const updateExpiryData = instruction(UPDATE_EXPIRY, getI64Encoder());

export const tokenAccount = getStructDecoder([
  ['version', fixDecoderSize(getBytesDecoder(), 1)],
  ['parent', getNullableDecoder(getAddressDecoder())],
  ['owner', getAddressDecoder()],
  ['identity', getNullableDecoder(getAddressDecoder())],
  ['gatekeeperNetwork', getAddressDecoder()],
  ['issuingGatekeeper', getAddressDecoder()],
  ['state', getU8Decoder()],
  ['expiry', getNullableDecoder(getI64Decoder())],
]);

/** Size of the account of a new token, in bytes. It always has room for an expiry. */
export const TOKEN_SIZE = 109n;
