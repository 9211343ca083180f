import type { Config } from '../../config/config.ts';

/** Returns scheme, host and port of the service, for use in answers. Those of the request only if none are configured. */
export function publicOriginOf({ url }: Request, { origin }: Config): string {
  return origin ?? new URL(url).origin;
}
