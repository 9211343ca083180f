import {
  fixDecoderSize,
  fixEncoderSize,
  getAddressDecoder,
  getBytesDecoder,
  getBytesEncoder,
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
 * What is used of the gateway program's interface (identity.com, solana-gateway-ts 0.12.0): one byte that names the
 * instruction, then borsh. Options are one byte, then the value where there is one.
 */

const tag = ['tag', getU8Encoder()] as const;

/** Issue (1): the seed of the address where it is not the first of the wallet, the expiry in Unix seconds. */
export const issueData = getStructEncoder([
  tag,
  ['seed', getNullableEncoder(fixEncoderSize(getBytesEncoder(), 8))],
  ['expiry', getNullableEncoder(getI64Encoder())],
]);

/** UpdateExpiry (3): Unix seconds. */
export const updateExpiryData = getStructEncoder([tag, ['expiry', getI64Encoder()]]);

/** A gateway token's account. */
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

/** Bytes of the account of a new token: the program leaves room for an expiry. */
export const TOKEN_SIZE = 109n;
