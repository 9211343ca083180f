import { expect, it } from 'vitest';
import { manifest } from '../package-files.ts';
import { DOCUMENTS, textOf } from './markdown.ts';

it('the documents name only npm scripts that exist', () => {
  const { scripts } = manifest();
  const client = JSON.parse(textOf('packages/client/package.json')).scripts;
  const current = DOCUMENTS.filter((document) => !/^CHANGELOG|^docs\/decisions\//.test(document));
  const named = current.flatMap((document) =>
    [...textOf(document).matchAll(/\bnpm run ([\w:-]+)(?: (-w @gatepass\/client))?/g)].map(
      ([, name = '', workspace]) => ({
        document,
        name,
        exists: Object.hasOwn(workspace === undefined ? scripts : client, name),
      }),
    ),
  );
  expect(named.length).toBeGreaterThan(40);
  expect(named.filter(({ exists }) => !exists)).toEqual([]);
});
