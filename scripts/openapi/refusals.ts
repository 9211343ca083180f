import { refuseForbidden } from '../../src/http/access/forbidden.ts';
import { passTargetOf } from '../../src/http/pass/pass-target.ts';
import { PROBLEMS, type ProblemCode, problemOf, type Refusal, refuse } from '../../src/http/protocol/problem.ts';
import { validate } from '../../src/http/protocol/validate.ts';
import type { Route } from '../../src/http/route.ts';
import { EXAMPLE } from '../../src/http/schemas/fields.ts';
import { SearchBody } from '../../src/http/schemas/requests.ts';
import { NETWORKS } from '../../src/network/networks.ts';
import { HEADERS_OF_REFUSALS, headersOf } from './headers.ts';
import { type Json, refTo } from './json-schema.ts';
import { refusalsOf } from './refusal-codes.ts';
import { inMarkdown } from './texts.ts';

/** Refusals as the document shows them, with an example of each code as the Worker puts it on the wire. */

/** Answers by status, each with its codes. */
export function refusalResponses(route: Route): Json {
  const byStatus = Map.groupBy(refusalsOf(route), (code) => PROBLEMS[code].status);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, responseOf(status, codes)]));
}

function responseOf(status: number, codes: readonly ProblemCode[]): Json {
  return {
    description: codes.map((code) => `\`${code}\`: ${inMarkdown(PROBLEMS[code].detail)}`).join('\n\n'),
    headers: headersOf(HEADERS_OF_REFUSALS[status] ?? []),
    content: {
      'application/problem+json': {
        schema: { $ref: refTo('schemas', 'Problem') },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: refTo('examples', code) }])),
      },
    },
  };
}

/** For the components of the document: one per code that a route refuses with. */
export function problemExamples(codes: readonly ProblemCode[]): Json {
  return Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: PROBLEMS[code].title, value: JSON.parse(problemOf(exampleOf(code), REQUEST_ID).body) },
    ]),
  );
}

const REQUEST_ID = '5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11';

/** Refusals that say more than their code, as the Worker's own functions make them. */
function exampleOf(code: ProblemCode): Refusal {
  const made = MADE.find((refusal) => refusal.code === code);
  return made ?? refuse(code);
}

function pass(chainNetwork: string, wallet: string) {
  const named = { chain: 'ethereum', chainNetwork, wallet, walletAt: '/wallet' };
  const [partner, config] = [{ gatekeeperNetwork: '' }, { networks: NETWORKS }] as unknown[];
  return passTargetOf(
    named,
    partner as Parameters<typeof passTargetOf>[1],
    config as Parameters<typeof passTargetOf>[2],
  );
}

const MADE: readonly Refusal[] = [
  validate(SearchBody, { limit: 500, filter: { colour: 'red' } }),
  pass('rinkeby', EXAMPLE.ethereumWallet),
  // No checksum of any address.
  pass('sepolia', '0x52908400098527886e0f7030069857d2e4169EE7'),
  refuse('token_invalid', { detail: '"exp" claim timestamp check failed' }),
  refuseForbidden('insufficient_scope', {
    detail: 'The access token lacks the scope "issue:pass".',
    scope: 'issue:pass',
  }),
].filter((made) => 'code' in made);
