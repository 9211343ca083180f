import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { collectionOf } from '../../../tools/collection/collection.ts';

/** Checks that the Postman collection in `examples/` follows from the OpenAPI document. `examples.test.ts` runs it. */

const read = (file: string) => JSON.parse(readFileSync(join(PROJECT, file), 'utf8'));
const document = read('docs/partners/openapi.json');

it('generates the committed collection, and includes a change of the document', async () => {
  const check = spawnSync(process.execPath, ['tools/collection.ts', '--check'], { cwd: PROJECT, encoding: 'utf8' });
  expect([check.status, check.stderr]).toEqual([0, '']);
  const committed = read('examples/gatepass.postman_collection.json');
  expect(JSON.parse(JSON.stringify(collectionOf(document)))).toEqual(committed);

  const changed = structuredClone(document);
  changed.paths['/health'].get.summary = 'Whether it lives';
  expect(JSON.stringify(collectionOf(changed))).toContain('Whether it lives');
});

it('contains every operation under the base path once, and none of the operator', async () => {
  const { item: folders } = collectionOf(document);
  const asked = folders.flatMap(({ name, item }) =>
    item.map(({ request }) => [name, `${request.method} /${request.url.path.join('/')}`]),
  );
  const operations = Object.entries<Record<string, { tags?: string[] }>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { tags }]) => tags !== undefined && !path.startsWith('/.well-known'))
      .map(([method, { tags = [] }]) => [tags[0], `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`]),
  );
  expect(asked.length).toBeGreaterThan(10);
  expect(asked.toSorted()).toEqual(operations.toSorted());
  expect(asked.filter(([folder, what = '']) => folder === 'Operator' || what.includes(' /admin/'))).toEqual([]);
});

it('contains no credentials and defines every variable that it names', async () => {
  const collection = collectionOf(document);
  const named = JSON.stringify(collection).matchAll(/\{\{(\w+)\}\}/g);
  const variables = new Map(collection.variable.map(({ key, value }) => [key, value]));
  expect([...named].map(([, name = '']) => name).filter((name) => !variables.has(name))).toEqual([]);
  for (const secret of ['clientId', 'clientSecret', 'accessToken']) {
    expect(variables.get(secret)).toBe('');
  }
});

it('gives every request and response an id of its own', async () => {
  const { info, item: folders } = collectionOf(document);
  const ids = folders.flatMap(({ item }) => item.flatMap(({ id, response }) => [id, ...response.map((it) => it.id)]));
  expect(new Set([info._postman_id, ...ids]).size).toBe(ids.length + 1);
});
