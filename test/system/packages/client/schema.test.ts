import { expect, it } from 'vitest';
import { schemaOf } from '../../../../packages/client/scripts/schema.ts';
import { textOf } from '../../../unit/package-files.ts';

const document = textOf('docs/partners/openapi.json');

it("the client's types are up to date with openapi.json (if not: `npm run types -w @gatepass/client`)", async () => {
  expect(textOf('packages/client/src/schema.ts')).toBe(await schemaOf(document));
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
