import type { Config } from '../../config/config.ts';
import { refusalOfTarget } from '../../webhook-object/allowed-target.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';

/** Returns the URL as it is requested: without letters that a reader may see in another order, and the host in ASCII. */
export function normalTarget(url: string): string {
  return URL.parse(url)?.href ?? url;
}

/** Refuses a URL that no webhook may have; undefined: it is allowed. */
export function refuseTarget(url: string, config: Config): Refusal | undefined {
  const detail = refusalOfTarget(url, config);
  return detail === undefined ? undefined : refuse('invalid_request', { errors: [{ pointer: '/url', detail }] });
}
