import { EXAMPLE } from './fields.ts';
import type { Json } from './json.ts';
import { refTo } from './json-schema.ts';
import type { ReplyHeader } from './operation.ts';

interface Header {
  readonly description: string;
  readonly schema: Json;
}

const textHeader = (example: string, more: Json = {}): Json => ({ type: 'string', ...more, examples: [example] });

const retryAfter: Json = { type: 'integer', minimum: 1, maximum: 86_400, format: 'int32', examples: [5] };
const BOOKMARK = 'DB.00000085-0000026c-00004e13-3f9a3b0f4cbb2d2a9d1f7f2b5c5a9d0e';
const ETAG = 'W/"01a1f8a0-6cfb-7613-a30a-0ccef041f58c.3"';

const REPLY: Readonly<Record<ReplyHeader, Header>> = {
  'Gatepass-Bookmark': {
    description:
      'An opaque bookmark. Send the newest one with the next GET or search: that response is then at least as new as this one.',
    schema: textHeader(BOOKMARK),
  },
  ETag: {
    description:
      'The tag of this version of the record (RFC 9110). Send it as `If-None-Match` to get a body only if the record has changed.',
    schema: textHeader(ETAG, { pattern: '^W/"[^"]+"$' }),
  },
  'Cache-Control': {
    description: 'How long caches may keep the response (RFC 9111).',
    schema: textHeader('public, max-age=15', { pattern: '^public, max-age=[0-9]+$' }),
  },
  Age: {
    description: 'The number of seconds since the service read this (RFC 9111).',
    schema: { type: 'integer', minimum: 0, maximum: 86_400, format: 'int32', examples: [3] },
  },
  Location: {
    description: 'The URL to open next (RFC 9110).',
    schema: { ...textHeader('/docs'), format: 'uri-reference' },
  },
};

const COMMON: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'The id of the request in the log of the service. Send it to the operator when you ask for help.',
    schema: { ...textHeader(EXAMPLE.requestId), format: 'uuid' },
  },
  'Preference-Applied': {
    description: 'Confirms `Prefer: wait` and its maximum in seconds (RFC 7240). Absent if the service did not wait.',
    schema: textHeader('wait=20', { pattern: '^wait=([0-9]|1[0-9]|20)$' }),
  },
  Sunset: {
    description:
      'The end of the network (RFC 8594): from then on, new passes there are refused. Absent if no end is announced.',
    schema: textHeader('Thu, 31 Dec 2026 00:00:00 GMT', { pattern: ' GMT$' }),
  },
  'WWW-Authenticate': {
    description:
      'The problem with the access token (RFC 6750), and on 401 the URL that describes accepted tokens (RFC 9728).',
    schema: textHeader('Bearer realm="gatepass", error="invalid_token"', { pattern: '^Bearer ' }),
  },
  'Retry-After': { description: 'The number of seconds to wait before the next try.', schema: retryAfter },
};

/** The header components. */
export const HEADERS: Readonly<Record<string, Header>> = { ...COMMON, ...REPLY };

/** Returns the headers of one response. Every response has a request id. */
export function headersOf(names: readonly string[]): Json {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: refTo('headers', name) }]));
}

/** Headers of refusals by status, in addition to those of every response. */
export const REFUSAL_HEADERS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

interface NamedHeader extends Header {
  readonly name: string;
}

export const REQUEST_HEADERS = {
  bookmark: {
    name: 'Gatepass-Bookmark',
    description:
      'The newest bookmark that you have. The response is at least as new as the one that carried it. An invalid bookmark is ignored, and the primary database answers.',
    schema: textHeader(BOOKMARK),
  },
  prefer: {
    name: 'Prefer',
    description:
      '`wait=N` (RFC 7240): the response comes once the pass is settled, or after N seconds with the pass as it is then. N counts as at most 20. Without this header, the response comes at once.',
    schema: textHeader('wait=20'),
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    description:
      'The `ETag` of the record that you have (RFC 9110). The response is 304 without a body while the record is the same.',
    schema: textHeader(ETAG),
  },
} as const satisfies Record<string, NamedHeader>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;
