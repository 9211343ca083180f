import type { Config } from '../../config/config.ts';
import { refusalOfTarget } from '../../webhook-object/allowed-target.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { URL_MAX_CHARS } from '../schemas/webhook-requests.ts';

const TOO_LONG = `must have at most ${URL_MAX_CHARS} characters, with other letters than ASCII encoded`;

/** Returns the URL as it is requested: without letters that a reader may see in another order, and the host in ASCII. */
export function normalTarget(url: string): string {
  return URL.parse(url)?.href ?? url;
}

/** Refuses a URL that no webhook may have; undefined: it is allowed. */
export function refuseTarget(url: string, config: Config): Refusal | undefined {
  // A partner must be able to send the stored URL again.
  const detail = normalTarget(url).length > URL_MAX_CHARS ? TOO_LONG : refusalOfTarget(url, config);
  return detail === undefined ? undefined : refuse('invalid_request', { errors: [{ pointer: '/url', detail }] });
}
