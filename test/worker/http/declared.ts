import * as v from 'valibot';
import { expect } from 'vitest';
import { OF_NO_ROUTE, refusalsOf } from '../../../scripts/openapi/refusal-codes.ts';
import { PROBLEMS } from '../../../src/http/protocol/problem.ts';
import type { DeclaredReply, Route } from '../../../src/http/route.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import { Problem } from '../../../src/http/schemas/problem.ts';
import { expectSaid } from './said.ts';

/** Each answer is held against what its route declares, of which the OpenAPI document is made. */

export interface Answered {
  readonly method: string;
  /** As it was asked for, with its query. */
  readonly path: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Base paths under which tests have the service answer. */
const BASES = ['', '/partner', '/api/v1.0'];

export function expectDeclared(answered: Answered): void {
  const { method, path, status, headers } = answered;
  // What a browser asks before it calls is no call.
  if (method === 'OPTIONS' && status === 204) return;
  const route = routeOf(answered);
  if (route !== undefined && 'unlisted' in route) return;
  const declared = route?.replies[status];
  const where = `${method} ${path}: ${status}`;
  if (declared !== undefined && route !== undefined) expectReply(answered, declared, route, where);
  else expectRefusal(answered, route, where);
  if (headers.has('preference-applied')) expect(route, `${where} waits`).toHaveProperty('waits', true);
}

function routeOf({ method, path }: Answered): Route | undefined {
  // Dots and backslashes are gone before a request is routed.
  const { pathname } = new URL(`https://api.example${path}`);
  const called = method.toUpperCase();
  const asked = called === 'HEAD' ? 'GET' : called;
  return PLACES.find(({ route, pattern }) => route.method === asked && pattern.test(pathname))?.route;
}

const PLACES = BASES.flatMap((base) => ROUTES.map((route) => ({ route, pattern: patternOf(route, base) })));

function patternOf({ path, wellKnown }: Route, base: string): RegExp {
  const pattern = path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${wellKnown ? pattern + base : base + pattern}/*$`);
}

/** Headers that some answers have. */
const DECLARED_HEADERS = ['Gatepass-Bookmark', 'ETag', 'Location'] as const;

function expectReply(
  { method, headers, text }: Answered,
  { body, headers: declared = [] }: DeclaredReply,
  route: Route,
  where: string,
): void {
  const given = DECLARED_HEADERS.filter((name) => headers.has(name));
  expect(given, `${where}: headers that ${route.operationId} declares`).toEqual(
    DECLARED_HEADERS.filter((name) => declared.includes(name)),
  );
  if (method === 'HEAD') return;
  if (body === undefined) expect(text, where).toBe('');
  else expectBody(body, JSON.parse(text), where);
}

/** Refusals of requests that no route is found for, or before one is looked for. */
const BEFORE_ANY: readonly string[] = [...OF_NO_ROUTE, 'rate_limited', 'internal_error', 'temporarily_unavailable'];

function expectRefusal({ method, status, text }: Answered, route: Route | undefined, where: string): void {
  // An answer to HEAD has no code in it.
  if (method === 'HEAD') {
    const statuses = [404, 405, ...(route ? refusalsOf(route) : []).map((code) => PROBLEMS[code].status)];
    expect(statuses, where).toContain(status);
    return;
  }
  const problem = JSON.parse(text) as v.InferOutput<typeof Problem>;
  expectBody(Problem, problem, where);
  const isOfNoPath = problem.code === 'not_found' && problem.detail === PROBLEMS.not_found.detail;
  if (isOfNoPath) return;
  const codes = route === undefined ? BEFORE_ANY : refusalsOf(route);
  expect(codes, `${where}: what ${route?.operationId ?? 'no route'} refuses`).toContain(problem.code);
}

/** Valid, and with nothing in it that the schema does not name. */
function expectBody(schema: v.GenericSchema, json: unknown, where: string): void {
  const result = v.safeParse(schema, json);
  expect(result.issues?.map(({ message }) => message) ?? [], `${where}: its form`).toEqual([]);
  expect(json, `${where}: nothing undeclared`).toEqual(result.output);
  expectSaid(schema, json, where);
}
