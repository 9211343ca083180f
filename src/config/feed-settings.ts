import * as v from 'valibot';
import { parseVariable } from './variable.ts';

const FEED_DAYS = 30;
const EXPIRY_NOTICE_DAYS = 7;

const daysOr = (usual: number, minimum: 0 | 1) => {
  const range = `must be a whole number of days from ${minimum} to 999`;
  return v.pipe(
    v.optional(v.string(range), ''),
    v.regex(minimum === 0 ? /^(|0|[1-9]\d{0,2})$/ : /^(|[1-9]\d{0,2})$/, range),
    v.transform((text) => (text === '' ? usual : Number(text))),
  );
};

const NO_HOSTS = 'must be host names separated by spaces, for example "www.acme.com status.acme.com"';

const Hosts = v.pipe(
  v.optional(v.string(NO_HOSTS), ''),
  v.transform((text) => text.toLowerCase().split(/\s+/).filter(Boolean)),
  v.array(v.pipe(v.string(), v.regex(/^[a-z\d-]+(\.[a-z\d-]+)*$/, NO_HOSTS))),
);

/** Returns `FEED_DAYS`, `EXPIRY_NOTICE_DAYS` and `PUBLIC_HOSTS`, the settings of the event feed and its webhooks. */
export function parseFeedSettings(env: Readonly<Record<string, unknown>>) {
  return {
    feedDays: parseVariable(env, 'FEED_DAYS', daysOr(FEED_DAYS, 1)),
    expiryNoticeDays: parseVariable(env, 'EXPIRY_NOTICE_DAYS', daysOr(EXPIRY_NOTICE_DAYS, 0)),
    publicHosts: parseVariable(env, 'PUBLIC_HOSTS', Hosts),
  };
}
