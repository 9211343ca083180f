import { passTargetOf } from '../../src/http/pass/pass-requests.ts';
import {
  PROBLEMS,
  type ProblemCode,
  problemOf,
  type Refusal,
  refuse,
  refuseForbidden,
} from '../../src/http/protocol/problem.ts';
import { validate } from '../../src/http/protocol/validate.ts';
import type { Route } from '../../src/http/route.ts';
import { SearchBody } from '../../src/http/schemas/requests.ts';
import { NETWORKS } from '../../src/network/networks.ts';
import { EXAMPLE } from './fields.ts';
import { headersOf, REFUSAL_HEADERS } from './headers.ts';
import type { Json } from './json.ts';
import { refTo } from './json-schema.ts';
import { refusalsOf } from './refusal-codes.ts';
import { escapeMarkdown } from './texts.ts';

/** The refusals that many routes share. The document has each once, because programs and assistants read it as a whole. */
const SHARED: Readonly<Record<string, readonly ProblemCode[]>> = {
  InvalidBody: ['invalid_json', 'invalid_request'],
  Unauthorized: ['token_missing', 'token_invalid'],
  Forbidden: ['insufficient_scope', 'client_unknown', 'partner_suspended'],
  BodyTimeout: ['body_timeout'],
  BodyTooLarge: ['body_too_large'],
  UnsupportedMediaType: ['unsupported_media_type'],
  TooManyRequests: ['rate_limited'],
  InternalError: ['internal_error'],
  Unavailable: ['temporarily_unavailable', 'not_configured'],
};

/** Returns the refusals of a route by status, each with an example of every code. */
export function refusalResponses(route: Route): Json {
  const byStatus = Map.groupBy(refusalsOf(route), (code) => PROBLEMS[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => {
      const shared = Object.entries(SHARED).find(([, each]) => each.join() === codes.join());
      return [status, shared === undefined ? responseOf(status, codes) : { $ref: refTo('responses', shared[0]) }];
    }),
  );
}

/** Returns the response components. */
export function sharedResponses(): Json {
  const status = ([code]: readonly ProblemCode[]) => PROBLEMS[code as ProblemCode].status;
  return Object.fromEntries(Object.entries(SHARED).map(([name, codes]) => [name, responseOf(status(codes), codes)]));
}

function responseOf(status: number, codes: readonly ProblemCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${escapeMarkdown(PROBLEMS[code].detail)}`).join('\n\n'),
    headers: headersOf(REFUSAL_HEADERS[status] ?? []),
    content: {
      'application/problem+json': {
        schema: { $ref: refTo('schemas', 'Problem') },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: refTo('examples', code) }])),
      },
    },
  };
}

/**
 * Returns the example components: one problem document for each code, as the Worker writes it.
 * @param scope The scope that the token of the example lacks.
 */
export function problemExamples(scope: string): Json {
  return Object.fromEntries(
    (Object.keys(PROBLEMS) as ProblemCode[]).map((code) => [
      code,
      { summary: PROBLEMS[code].title, value: JSON.parse(problemOf(exampleOf(code, scope), EXAMPLE.requestId).body) },
    ]),
  );
}

/** Returns an example refusal. If the Worker's functions replace the detail of the code, the example has their detail. */
function exampleOf(code: ProblemCode, scope: string): Refusal {
  if (code === 'insufficient_scope') {
    const detail = `The access token lacks the scope "${scope}". Request a token with that scope.`;
    return refuseForbidden(code, { detail, scope });
  }
  return DETAILED_REFUSALS.find((refusal) => refusal.code === code) ?? refuse(code);
}

function findTarget(chainNetwork: string, wallet: string) {
  const path = { chain: 'ethereum', chainNetwork, wallet, walletAt: '/wallet' };
  const [partner, config] = [{ gatekeeperNetwork: '' }, { networks: NETWORKS }] as unknown[];
  return passTargetOf(
    path,
    partner as Parameters<typeof passTargetOf>[1],
    config as Parameters<typeof passTargetOf>[2],
  );
}

const DETAILED_REFUSALS: readonly Refusal[] = [
  validate(SearchBody, { limit: 500, filter: { colour: 'red' } }),
  findTarget('rinkeby', EXAMPLE.ethereumWallet),
  // An address with a wrong checksum.
  findTarget('sepolia', '0x52908400098527886e0f7030069857d2e4169EE7'),
  refuse('cursor_expired', { oldest: 48_211 }),
  refuse('subject_limit_reached', {
    rule: {
      name: 'subjectMaxPasses',
      maximum: 1,
      passes: [{ chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: EXAMPLE.ethereumWallet }],
    },
  }),
  refuse('token_invalid', { detail: '"exp" claim timestamp check failed' }),
].filter((result) => 'code' in result);
