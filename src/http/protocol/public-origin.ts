import type { Config } from '../../config/config.ts';

/** Returns the configured scheme, host and port of the service, or those of the request if none are configured. */
export function publicOriginOf({ url }: Request, { origin }: Config): string {
  return origin ?? new URL(url).origin;
}
