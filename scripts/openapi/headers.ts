import type { ReplyHeader } from '../../src/http/route.ts';
import type { Json } from './json.ts';
import { refTo } from './json-schema.ts';

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
      'How far whoever has this answer has seen the passes. Send the newest you have with the next request that reads, and you see at least as much. Opaque.',
    schema: textHeader(BOOKMARK),
  },
  ETag: {
    description: 'Names this state of the pass (RFC 9110): send it as `If-None-Match` to hear only of a newer one.',
    schema: textHeader(ETAG, { pattern: '^W/"[^"]+"$' }),
  },
  Location: {
    description: 'Where to go on (RFC 9110).',
    schema: { ...textHeader('/docs'), format: 'uri-reference' },
  },
};

const COMMON: Readonly<Record<string, Header>> = {
  'X-Request-Id': {
    description: 'Names the request in the log of the service: tell it to the operator when you ask for help.',
    schema: { ...textHeader('5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11'), format: 'uuid' },
  },
  'Preference-Applied': {
    description: 'That `Prefer: wait` was honoured, and with how many seconds (RFC 7240); missing where it was not.',
    schema: textHeader('wait=20', { pattern: '^wait=([0-9]|1[0-9]|20)$' }),
  },
  'WWW-Authenticate': {
    description: 'What is wrong with the access token (RFC 6750), and where to learn whose are taken (RFC 9728).',
    schema: textHeader('Bearer realm="gatepass", error="invalid_token"', { pattern: '^Bearer ' }),
  },
  'Retry-After': { description: 'After how many seconds another try makes sense.', schema: retryAfter },
};

const HEADERS: Readonly<Record<string, Header>> = { ...COMMON, ...REPLY };

/** The header components that the paths refer to. */
export function headerObjects(paths: Json): Json {
  const text = JSON.stringify(paths);
  return Object.fromEntries(Object.entries(HEADERS).filter(([name]) => text.includes(`"${refTo('headers', name)}"`)));
}

/** The headers of one answer; every answer has an id. */
export function headersOf(names: readonly string[]): Json {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, { $ref: refTo('headers', name) }]));
}

/** Headers of refusals beside those of every answer, by status. */
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
      'The newest bookmark you have: what comes back is at least what it has seen, your own changes among it. What is no bookmark does no harm.',
    schema: textHeader(BOOKMARK),
  },
  prefer: {
    name: 'Prefer',
    description:
      '`wait=N` (RFC 7240): the answer may come up to N seconds later, as soon as the pass has settled, else with the pass as it is then. More than 20 is taken as 20. Without it the answer comes at once.',
    schema: textHeader('wait=20'),
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    description: 'The `ETag` of the pass you have (RFC 9110): 304 without a body when it is still the same.',
    schema: textHeader(ETAG),
  },
} as const satisfies Record<string, NamedHeader>;

export type RequestHeader = keyof typeof REQUEST_HEADERS;
