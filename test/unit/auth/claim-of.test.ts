import { expect, it } from 'vitest';
import { claimOf } from '../../../src/auth/claim-of.ts';

const CLAIMS = {
  org_id: 'org_1',
  'a.b': 'whole',
  a: { b: 'path', c: { d: 'deep' }, 'x.y': { z: 'dotted' } },
  list: [{ b: 1 }],
  empty: null,
  'https://acme.com/org': 'url',
  resource_access: { 'https://api.acme.com': { roles: ['r'] } },
};

it.each([
  ['org_id', 'org_1'],
  ['a.b', 'whole'],
  ['a.c.d', 'deep'],
  ['a.x.y.z', 'dotted'],
  ['https://acme.com/org', 'url'],
  ['resource_access.https://api.acme.com.roles', ['r']],
  ['list.0.b', undefined],
  ['empty.b', undefined],
  ['a.c.e', undefined],
  ['constructor', undefined],
  ['a.constructor.name', undefined],
  ['', undefined],
  ['.', undefined],
])('reads the claim "%s" by its whole name or as a path', (name, expected) => {
  expect(claimOf(CLAIMS, name)).toEqual(expected);
});
