import type { Config } from '../../config/config.ts';

/** URLs of requests, and of the service. */

/** Matches a letter, digit, `-`, `.`, `_` or `~` that is percent-encoded needlessly. */
const ENCODED_UNRESERVED = /%(?:2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/gi;

/** Returns the equivalent path without needless percent-encoding (RFC 3986 §6.2.2.2). */
export function decodeUnreserved(path: string): string {
  return path.includes('%') ? path.replaceAll(ENCODED_UNRESERVED, (encoded) => decodeURIComponent(encoded)) : path;
}

/** Returns the parameters decoded. A value that cannot be decoded stays unchanged. */
export function decodeParams(params: Readonly<Record<string, string>>): Record<string, string> {
  const decoded: Record<string, string> = {};
  for (const [name, value] of Object.entries(params)) decoded[name] = value.includes('%') ? decode(value) : value;
  return decoded;
}

function decode(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Returns the configured scheme, host and port of the service, or those of the request if none are configured. */
export function publicOriginOf({ url }: Request, { origin }: Config): string {
  return origin ?? new URL(url).origin;
}

/** Path of the document about accepted tokens (RFC 9728 §3.1: between the host and the path of the resource). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

export function metadataUrl(request: Request, config: Config): string {
  return publicOriginOf(request, config) + METADATA_PATH + config.basePath;
}
