import type { Config } from '../../config/config.ts';
import { publicOriginOf } from './public-origin.ts';

/** Path of the document about accepted tokens (RFC 9728 §3.1: between the host and the path of the resource). */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

export function metadataUrl(request: Request, config: Config): string {
  return publicOriginOf(request, config) + METADATA_PATH + config.basePath;
}

interface Challenge {
  readonly error?: 'invalid_token' | 'insufficient_scope';
  readonly error_description?: string;
  readonly scope?: string | undefined;
  readonly resource_metadata?: string | undefined;
}

/** Returns the value of `WWW-Authenticate` (RFC 6750 §3, RFC 9728 §5.1). */
export function wwwAuthenticate(parts: Challenge): string {
  const given = Object.entries({ realm: 'gatepass', ...parts }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${quotable(value)}"`],
  );
  return `Bearer ${given.join(', ')}`;
}

/** Replaces characters that RFC 6750 §3 forbids, because a description may repeat names from the token. */
const quotable = (text: string) => text.replaceAll(/[^ !#-[\]-~]/g, "'");
