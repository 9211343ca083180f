import * as v from 'valibot';
import { expect } from 'vitest';
import { PROBLEMS, type ProblemCode } from '../../../src/http/protocol/problem.ts';
import { decodeUnreserved } from '../../../src/http/protocol/url.ts';
import type { Route } from '../../../src/http/route.ts';
import type { DeclaredReply } from '../../../tools/openapi/operation.ts';
import { operationOf } from '../../../tools/openapi/operations.ts';
import { CODES_WITHOUT_ROUTE, refusalsOf } from '../../../tools/openapi/refusal-codes.ts';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { Problem } from '../../../tools/openapi/schemas/problem.ts';
import { expectMetadata } from './expect-metadata.ts';

export interface Answered {
  readonly method: string;
  /** The path and the query, as the client sent them. */
  readonly path: string;
  /** The configured one. */
  readonly basePath: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Checks a reply against the operation of its route, from which the OpenAPI document is generated. */
export function expectDeclared(answered: Answered): void {
  const { method, path, status, headers } = answered;
  // A browser's preflight request is not a call of the route.
  if (method === 'OPTIONS' && status === 204) return;
  const route = routeOf(answered);
  const operation = route && operationOf(route);
  if (route !== undefined && operation === undefined) return;
  const declared = operation?.replies[status];
  const where = `${method} ${path}: ${status}`;
  if (declared !== undefined && route !== undefined) expectReply(answered, declared, route, where);
  else expectRefusal(answered, route, where);
  if (headers.has('preference-applied')) expect(route, `${where} waits`).toHaveProperty('waits', true);
}

function routeOf({ method, path, basePath }: Answered): Route | undefined {
  // The URL parser resolves dots and backslashes before the router sees the path.
  const pathname = decodeUnreserved(new URL(`https://api.example${path}`).pathname);
  const upperCase = method.toUpperCase();
  const routed = upperCase === 'HEAD' ? 'GET' : upperCase;
  return ROUTES.find((route) => route.method === routed && patternOf(route, basePath).test(pathname));
}

function patternOf({ path, wellKnown }: Route, basePath: string): RegExp {
  const base = basePath.replaceAll('.', '\\.');
  const pattern = path
    .replaceAll('.', '\\.')
    .replaceAll(/:\w+\+/g, '.+')
    .replaceAll(/:\w+/g, '[^/]+');
  return new RegExp(`^${wellKnown ? pattern + base : base + pattern}/*$`);
}

const DECLARED_HEADERS = ['Gatepass-Bookmark', 'ETag', 'Location'] as const;

function expectReply(
  { method, headers, text }: Answered,
  { body, mediaType, headers: declared = [] }: DeclaredReply,
  route: Route,
  where: string,
): void {
  const given = DECLARED_HEADERS.filter((name) => headers.has(name));
  expect(given, `${where}: headers that ${route.operationId} declares`).toEqual(
    DECLARED_HEADERS.filter((name) => declared.includes(name)),
  );
  if (method === 'HEAD') return;
  if (mediaType !== undefined) expect(headers.get('content-type'), where).toBe(mediaType);
  else if (body === undefined) expect(text, where).toBe('');
  else expectBody(body, JSON.parse(text), where);
}

/** Codes of refusals before or without a route. */
const CODES_BEFORE_ROUTE: readonly ProblemCode[] = [
  ...CODES_WITHOUT_ROUTE,
  'not_found',
  'rate_limited',
  'internal_error',
  'temporarily_unavailable',
  'not_configured',
];

function expectRefusal({ method, status, text }: Answered, route: Route | undefined, where: string): void {
  // A reply to HEAD has no body, and therefore no code.
  if (method === 'HEAD') {
    const statuses = [...codesOf(route)].map((code) => PROBLEMS[code].status);
    expect(statuses, where).toContain(status);
    return;
  }
  const problem = JSON.parse(text) as v.InferOutput<typeof Problem>;
  expectBody(Problem, problem, where);
  expect(codesOf(route), `${where}: what ${route?.operationId ?? 'no route'} refuses`).toContain(problem.code);
}

/** Returns the codes that a caller of the route may get. A service without an operator has none of the operator's routes. */
function codesOf(route: Route | undefined): readonly ProblemCode[] {
  if (route === undefined) return CODES_BEFORE_ROUTE;
  return route.scope === 'admin' ? [...refusalsOf(route), 'not_found'] : refusalsOf(route);
}

/** Checks that a body is valid and has no field that the schema does not name. */
function expectBody(schema: v.GenericSchema, json: unknown, where: string): void {
  const result = v.safeParse(schema, json);
  expect(result.issues?.map(({ message }) => message) ?? [], `${where}: valid`).toEqual([]);
  expect(json, `${where}: no undeclared field`).toEqual(result.output);
  expectMetadata(schema, json, where);
}
