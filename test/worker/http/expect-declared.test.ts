import { describe, expect, it } from 'vitest';
import { PROBLEMS, problemOf, refuse } from '../../../src/http/protocol/problem.ts';
import { recordOf } from '../../../src/pass/record.ts';
import { operationOf } from '../../../tools/openapi/operations.ts';
import { refusalsOf } from '../../../tools/openapi/refusal-codes.ts';
import { ROUTES } from '../../../tools/openapi/routes.ts';
import { anActivePass } from '../../unit/pass/a-pass.ts';
import { operations } from '../../unit/tools/openapi/committed-document.ts';
import { type Answered, expectDeclared } from './expect-declared.ts';

describe('the OpenAPI documents', () => {
  const listed = ROUTES.filter(operationOf);
  const nameOf = ({ method, path }: { method: string; path: string }) =>
    `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;

  it('contain every route except themselves and the routes for browsers, and nothing else', () => {
    expect(operations.map(({ name }) => name).toSorted()).toEqual(listed.map(nameOf).toSorted());
    expect(ROUTES.filter((route) => !listed.includes(route)).map(({ path }) => path)).toEqual([
      '/',
      '/docs',
      '/docs/:file+',
      '/downloads/:download',
      '/openapi.json',
      '/console',
      '/console/:file',
      '/admin/openapi.json',
    ]);
  });

  it.each(listed)('contain $method $path with its name, its replies and its parameters', (route) => {
    const { operation } = operations.find(({ name }) => name === nameOf(route)) ?? {};
    expect(operation?.operationId).toBe(route.operationId);
    const statuses = Object.keys(operation?.responses ?? {});
    const declared = Object.keys(operationOf(route)?.replies ?? {});
    expect(declared).not.toEqual([]);
    expect(statuses.filter((status) => Number(status) < 400)).toEqual(declared);
    const refused = refusalsOf(route).map((code) => String(PROBLEMS[code].status));
    expect(statuses.filter((status) => Number(status) >= 400)).toEqual([...new Set(refused)]);
    const inPath = (operation?.parameters ?? []).filter((each) => each.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
    expect(operation?.requestBody !== undefined).toBe('body' in route && route.body !== undefined);
  });
});

describe('expectDeclared', () => {
  const record = { ...recordOf(anActivePass()), valid: true };
  const aReply = (changes: Partial<Answered> = {}): Answered => ({
    method: 'GET',
    path: `/pass/ethereum/sepolia/${record.walletAddress}`,
    basePath: '',
    status: 200,
    headers: new Headers({ 'gatepass-bookmark': '0', etag: 'W/"0.1"' }),
    text: JSON.stringify(record),
    ...changes,
  });
  const aReplyWith = (changes: object) => aReply({ text: JSON.stringify({ ...record, ...changes }) });
  const aRefusal = (code: 'pass_not_found' | 'pass_frozen' | 'not_found') => {
    const { status, body } = problemOf(refuse(code), crypto.randomUUID());
    return aReply({ status, text: body });
  };
  const [event] = record.events;

  it('accepts a reply that the route declares', () => {
    expectDeclared(aReply());
    expectDeclared(aRefusal('pass_not_found'));
    expectDeclared(aReply({ status: 304, text: '' }));
    expectDeclared(aReply({ method: 'HEAD', text: '' }));
  });

  it.each([
    ['with an undeclared field', aReplyWith({ colour: 'red' })],
    ['with an undeclared field in an object', aReplyWith({ chain: { ...record.chain, id: 1 } })],
    ['with an undeclared field in an event', aReplyWith({ events: [{ ...event, colour: 'red' }] })],
    ['without a required field', aReplyWith({ state: undefined })],
    ['with a value that is not in its list', aReplyWith({ state: 'BURNED' })],
    ['with an event that is not in its list', aReplyWith({ events: [{ ...event, eventType: 'TOKEN_BURNED' }] })],
    ['with an id that is not a UUID', aReplyWith({ id: '1' })],
    ['with more events than the maximum', aReplyWith({ events: Array(101).fill(event) })],
    ['with a time in milliseconds', aReplyWith({ expiryTimestamp: 1.5e15 })],
    ['with an undeclared status', aReply({ status: 201 })],
    ['with a body that the route does not declare', aReply({ status: 304 })],
    ['with an undeclared code', aRefusal('pass_frozen')],
    ['of an unknown path, although the path is known', aRefusal('not_found')],
    ['without a declared header', aReply({ headers: new Headers({ etag: 'W/"0.1"' }) })],
    ['of an unknown route', aReply({ path: '/nowhere' })],
    [
      'with Preference-Applied from a route that does not wait',
      { ...aHealth(), headers: new Headers({ 'preference-applied': 'wait=1' }) },
    ],
    ['with an undeclared header', { ...aHealth(), headers: new Headers({ etag: 'W/"0.1"' }) }],
  ])('refuses a reply %s', (_, answered) => {
    expect(() => expectDeclared(answered)).toThrow();
  });

  function aHealth(): Answered {
    return aReply({ path: '/health', headers: new Headers(), text: '{"status":"ok","checks":["configuration"]}' });
  }

  it('accepts the 404 of a path that exists only below another base path', () => {
    expectDeclared({ ...aRefusal('not_found'), basePath: '/partner' });
    expectDeclared({ ...aReply(), path: `/partner${aReply().path}`, basePath: '/partner' });
  });

  it('compares a reply with the route of its path', () => {
    expectDeclared(aHealth());
    expect(() => expectDeclared({ ...aReply(), path: '/health' })).toThrow();
  });
});
