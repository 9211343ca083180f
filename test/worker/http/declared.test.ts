import { describe, expect, it } from 'vitest';
import { problemOf, refuse } from '../../../src/http/protocol/problem.ts';
import { ROUTES } from '../../../src/http/routes.ts';
import { recordOf } from '../../../src/pass/record.ts';
import { anActivePass } from '../../unit/pass/a-pass.ts';
import { operations } from '../../unit/scripts/openapi/committed.ts';
import { type Answered, expectDeclared } from './declared.ts';

/** The document has the routes that there are; and an answer that no route declares is noticed. */

describe('the document', () => {
  const listed = ROUTES.filter((route) => !('unlisted' in route));
  const nameOf = ({ method, path }: { method: string; path: string }) =>
    `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`;

  it('has every route that is not for browsers only, and nothing else', () => {
    expect(operations.map(({ name }) => name).toSorted()).toEqual(listed.map(nameOf).toSorted());
    expect(ROUTES.filter((route) => !listed.includes(route)).map(({ path }) => path)).toEqual([
      '/',
      '/docs',
      '/docs/:file',
      '/openapi.json',
    ]);
  });

  it.each(listed)('has $method $path with its name, its answers and its parameters', (route) => {
    const { operation } = operations.find(({ name }) => name === nameOf(route)) ?? {};
    expect(operation?.operationId).toBe(route.operationId);
    const statuses = Object.keys(operation?.responses ?? {});
    expect(statuses).toEqual(expect.arrayContaining(Object.keys(route.replies)));
    expect(statuses.filter((status) => Number(status) < 400)).toEqual(Object.keys(route.replies));
    const inPath = (operation?.parameters ?? []).filter((each) => each.in === 'path').map(({ name }) => name);
    expect(inPath).toEqual([...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name));
    expect(operation?.requestBody !== undefined).toBe('body' in route && route.body !== undefined);
  });
});

describe('an answer', () => {
  const record = recordOf(anActivePass());
  const fetched = (changes: Partial<Answered> = {}): Answered => ({
    method: 'GET',
    path: `/pass/ethereum/sepolia/${record.walletAddress}`,
    status: 200,
    headers: new Headers({ 'gatepass-bookmark': '0', etag: 'W/"0.1"' }),
    text: JSON.stringify(record),
    ...changes,
  });
  const shown = (changes: object) => fetched({ text: JSON.stringify({ ...record, ...changes }) });
  const refused = (code: 'pass_not_found' | 'pass_frozen') => {
    const { status, body } = problemOf(refuse(code), crypto.randomUUID());
    return fetched({ status, text: body });
  };
  const [event] = record.events;

  it('that the route declares is right', () => {
    expectDeclared(fetched());
    expectDeclared(refused('pass_not_found'));
    expectDeclared(fetched({ status: 304, text: '' }));
    expectDeclared(fetched({ method: 'HEAD', text: '' }));
  });

  it.each([
    ['with a field that is not declared', shown({ colour: 'red' })],
    ['with one in an object in it', shown({ chain: { ...record.chain, id: 1 } })],
    ['with one in an event', shown({ events: [{ ...event, colour: 'red' }] })],
    ['without a field', shown({ state: undefined })],
    ['with a word that is not in its list', shown({ state: 'BURNED' })],
    ['with an event that is not in its list', shown({ events: [{ ...event, eventType: 'TOKEN_BURNED' }] })],
    ['with an id of another form', shown({ id: '1' })],
    ['with more events than are shown', shown({ events: Array(101).fill(event) })],
    ['with a time in milliseconds', shown({ expiryTimestamp: 1.5e15 })],
    ['with a status that is not declared', fetched({ status: 201 })],
    ['with a body that should have none', fetched({ status: 304 })],
    ['with a code that the route does not declare', refused('pass_frozen')],
    ['without a header that is declared', fetched({ headers: new Headers({ etag: 'W/"0.1"' }) })],
    ['of no route', fetched({ path: '/nowhere' })],
    [
      'of a route that does not wait, with a preference',
      { ...aHealth(), headers: new Headers({ 'preference-applied': 'wait=1' }) },
    ],
    ['with a header that is not declared', { ...aHealth(), headers: new Headers({ etag: 'W/"0.1"' }) }],
  ])('%s is wrong', (_, answered) => {
    expect(() => expectDeclared(answered)).toThrow();
  });

  function aHealth(): Answered {
    return fetched({ path: '/health', headers: new Headers(), text: '{"status":"ok"}' });
  }

  it('of another route is held against that', () => {
    expectDeclared(aHealth());
    expect(() => expectDeclared({ ...fetched(), path: '/health' })).toThrow();
  });
});
