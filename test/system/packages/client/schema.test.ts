import { expect, it } from 'vitest';
import { schemaOf } from '../../../../packages/client/scripts/schema.ts';
import { textOf } from '../../../unit/package-files.ts';

const document = textOf('docs/partners/openapi.json');

it.each([
  ['docs/partners/openapi.json', 'packages/client/src/schema.ts'],
  ['docs/operators/openapi.json', 'pages/console/operator/schema.ts'],
])('the types of %s are up to date in %s (if not: `npm run types -w @gatepass/client`)', async (file, types) => {
  expect(textOf(types)).toBe(await schemaOf(textOf(file)));
});

it("the client's types have the operations of partners, and no operation of the operator", async () => {
  const types = await schemaOf(document);
  expect([...types.matchAll(/^ {4}(\w+): \{\n {8}parameters: /gm)].map(([, name]) => name)).toEqual(
    expect.arrayContaining(['searchPasses', 'issuePass', 'getPass', 'updatePass', 'revokePass', 'syncPass']),
  );
  expect(types).not.toMatch(/admin|Signer|DeadLetter/);
});

it("the client's types allow unknown values of open enums", async () => {
  expect(await schemaOf(document)).toContain(
    'state: "REQUESTED" | "ACTIVE" | "FROZEN" | "REVOKED" | "REJECTED" | (string & {});',
  );
});

it("the client's package contains the license of the project", () => {
  expect(textOf('packages/client/LICENSE')).toBe(textOf('LICENSE'));
});
