import { expect, it } from 'vitest';
import { schemaOf } from '../../../client/scripts/schema.ts';
import { textOf } from '../../unit/packages.ts';

const document = textOf('openapi.json');

it('the types of the client are those of the document: else `npm run types -w client`', async () => {
  expect(textOf('client/src/schema.ts')).toBe(await schemaOf(document));
});

it('has the partners’ operations, and nothing of the operator', async () => {
  const types = await schemaOf(document);
  expect([...types.matchAll(/^ {4}(\w+): \{\n {8}parameters: /gm)].map(([, name]) => name)).toEqual(
    expect.arrayContaining(['searchPasses', 'issuePass', 'getPass', 'updatePass', 'revokePass', 'syncPass']),
  );
  expect(types).not.toMatch(/admin|Signer|DeadLetter/);
});

it('takes words that are not known yet', async () => {
  expect(await schemaOf(document)).toContain(
    'state: "REQUESTED" | "ACTIVE" | "FROZEN" | "REVOKED" | "REJECTED" | (string & {});',
  );
});

it('the package of the client has the license of the project: npm takes only what lies in its own folder', () => {
  expect(textOf('client/LICENSE')).toBe(textOf('LICENSE'));
});
