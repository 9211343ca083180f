import type { Config } from '../../config/config.ts';

/** Scheme, host and port of the service, as its answers name them: those of the request only where none are configured. */
export function publicOriginOf({ url }: Request, { origin }: Config): string {
  return origin ?? new URL(url).origin;
}
