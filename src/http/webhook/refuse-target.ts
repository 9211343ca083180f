import type { Config } from '../../config/config.ts';
import { refusalOfTarget } from '../../webhook-object/allowed-target.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';

/** Refuses a URL that no webhook may have; undefined: it is allowed. */
export function refuseTarget(url: string, config: Config): Refusal | undefined {
  const detail = refusalOfTarget(url, config);
  return detail === undefined ? undefined : refuse('invalid_request', { errors: [{ pointer: '/url', detail }] });
}
