import fc from 'fast-check';
import type { Route } from '../../../src/http/route.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { STATES, type State } from './a-pass.ts';
import { jsonLike, LONG, mostly, texts } from './fuzz-texts.ts';
import { bodiesOf, paramsOf, pathOf, queryOf } from './route-calls.ts';

/** Requests with faults in every part, alone and together. */

export interface Fuzzed {
  /** The state of the pass; `none`: the wallet has no pass. */
  readonly state: State | 'none';
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: { readonly text: string; readonly as: (typeof ENCODINGS)[number] } | undefined;
}

/** Placeholders for the wallet and the gatekeeper network of the pass. */
const ABOUT = { gatekeeperNetwork: '(network)', chain: 'ethereum', network: 'sepolia', wallet: '(wallet)' } as PassKey;

/** Returns the text with the values of that pass in place of the placeholders. */
export const aboutPass = (text: string, { gatekeeperNetwork, wallet }: PassKey) =>
  text.replaceAll(ABOUT.wallet, wallet).replaceAll(ABOUT.gatekeeperNetwork, gatekeeperNetwork);

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND', 'get', 'patch'];
/** The ways to deliver the bytes of a body. */
export const ENCODINGS = [
  ...['as it is', 'in chunks', 'with a byte order mark', 'UTF-16', 'not UTF-8', 'cut off', 'twice'],
  ...[
    'compressed',
    'compressed, without Content-Encoding',
    'too long',
    'too long, in chunks',
    'without end',
    'broken off',
  ],
] as const;

const percentEncoded = (text: string) => encodeURIComponent(text.toWellFormed());
const params = texts.chain((text) => fc.constantFrom(text, percentEncoded(text)));

const paths = (route: Route) => {
  const right = paramsOf(ABOUT);
  const changed = fc.record(
    Object.fromEntries(Object.entries(right).map(([name, value]) => [name, fc.oneof(fc.constant(value), params)])),
  );
  const path = changed.map((given) => pathOf(route, given));
  const around = fc.constantFrom<(path: string) => string>(
    (each) => `${each}/`,
    (each) => `/${each}`,
    (each) => `/.${each}`,
    (each) => `/%2e%2e${each}`,
    (each) => each.toUpperCase(),
    (each) => each.replaceAll('/', '\\'),
    (each) => each.replace(/.$/, ''),
    (each) => `${each}#x`,
    (each) => `${each};x=1`,
    (each) => `/${LONG}${each}`,
  );
  return mostly(
    path,
    fc.tuple(path, around).map(([each, change]) => change(each)),
  );
};

const queries = (route: Route) => {
  const right = queryOf(route);
  const names = fc.oneof(fc.constantFrom('limit', 'after', 'olderThan', 'type'), texts);
  const wrong = fc
    .array(fc.tuple(names, texts), { maxLength: 3 })
    .chain((pairs) =>
      fc.constantFrom(
        pairs.map((pair) => pair.map(percentEncoded)),
        pairs,
      ),
    )
    .map((pairs) => pairs.map((pair) => pair.join('=')).join('&'));
  return fc.oneof(
    { arbitrary: fc.constantFrom('', right), weight: 3 },
    wrong,
    wrong.map((each) => `${right}&${each}`),
  );
};

const NUMBERS = ['0', '-1', '1e3', '16384', '16385', '99999999999999999999', 'NaN', ' 7 ', '0x10', '7, 7'];
const TYPES = [
  '',
  'text/plain',
  'application/json, application/json',
  'application/json; charset=utf-16',
  'a'.repeat(9_000),
];
const BOOKMARKS = [
  '',
  'DB.0-0',
  `DB.${'f'.repeat(32)}-f`,
  'DB_1.0-0',
  'DB_9.0-0',
  'DB.first-unconstrained',
  'first-primary',
];
/** Invalid preferences only, because a valid one would wait. */
const PREFERENCES = ['', 'wait', 'wait=0', 'wait=-1', 'wait=1e9', 'wait="', 'respond-async', `x=1,${LONG}`];
const headerTexts = texts.map((text) => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ''));
const headers = fc.array(
  fc.oneof(
    fc.tuple(fc.constant('content-type'), fc.oneof(fc.constantFrom(...TYPES), headerTexts)),
    fc.tuple(fc.constant('content-encoding'), fc.oneof(fc.constantFrom('gzip', 'br', 'identity', 'x, y'), headerTexts)),
    fc.tuple(fc.constant('content-length'), fc.constantFrom(...NUMBERS)),
    fc.tuple(fc.constant('authorization'), fc.oneof(fc.constantFrom('', 'Bearer', 'Bearer a.b.c'), headerTexts)),
    fc.tuple(fc.constant('gatepass-bookmark'), fc.oneof(fc.constantFrom(...BOOKMARKS), headerTexts)),
    fc.tuple(fc.constant('prefer'), fc.oneof(fc.constantFrom(...PREFERENCES), headerTexts)),
    fc.tuple(fc.constant('if-none-match'), fc.oneof(fc.constantFrom('*', '""', 'W/"a", "b', 'a'), headerTexts)),
    fc.tuple(fc.constantFrom('x-http-method-override', 'x-method-override'), fc.constantFrom('DELETE', 'PATCH')),
    fc.tuple(
      fc.constantFrom(
        'accept',
        'origin',
        'cookie',
        'range',
        'x-request-id',
        'cf-connecting-ip',
        'x-forwarded-for',
        'host',
      ),
      headerTexts,
    ),
  ),
  { minLength: 1, maxLength: 2 },
);

const PARTS = ['method', 'path', 'query', 'headers', 'body', 'encoding'] as const;
/** The faulty parts of a request: usually one, because a request with many faults already fails at the first fault. */
const wrongParts = (route: Route) =>
  fc.oneof(
    { arbitrary: fc.constant(['body' in route ? 'body' : 'path'] as const), weight: 4 },
    { arbitrary: fc.constant(['path'] as const), weight: 2 },
    { arbitrary: fc.subarray([...PARTS], { minLength: 1, maxLength: 1 }), weight: 4 },
    fc.subarray([...PARTS]),
  );

export function fuzzedRequests(route: Route): fc.Arbitrary<Fuzzed> {
  const rightBodies = bodiesOf(route, ABOUT).map((body) => body ?? {});
  const rightBody = fc.constantFrom(...rightBodies);
  return wrongParts(route).chain((parts) => {
    const part = <T>(name: (typeof PARTS)[number], right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>) =>
      (parts as readonly string[]).includes(name) ? wrong : right;
    const path = part('path', fc.constant(pathOf(route, paramsOf(ABOUT))), paths(route));
    const query = part('query', fc.constantFrom('', queryOf(route)), queries(route));
    const right = rightBody.map((body) => JSON.stringify(body));
    const text = part(
      'body',
      right,
      rightBody.chain((body) => mostly(jsonLike(body), texts)),
    );
    const body = fc.record({ text, as: part('encoding', fc.constant(ENCODINGS[0]), fc.constantFrom(...ENCODINGS)) });
    return fc.record({
      state: fc.constantFrom<State | 'none'>('none', ...STATES),
      method: part('method', fc.constant<string>(route.method), fc.constantFrom(...METHODS)),
      path: fc.tuple(path, query).map((both) => both.filter((each) => each !== '').join('?')),
      headers: part('headers', fc.constant<Fuzzed['headers']>([]), headers),
      body: part('body', body, fc.option(body, { nil: undefined, freq: 9 })),
    });
  });
}
