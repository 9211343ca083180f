import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaOf } from './schema.ts';

/** `npm run types -w @gatepass/client`: generates the types of the client, and those of the console's pages for the operator. */
const PROJECT = join(import.meta.dirname, '../../..');

/** The files with types, by their OpenAPI documents. */
const FILES = {
  'docs/partners/openapi.json': 'packages/client/src/schema.ts',
  'docs/operators/openapi.json': 'pages/console/operator/schema.ts',
};

for (const [document, file] of Object.entries(FILES))
  writeFileSync(join(PROJECT, file), await schemaOf(readFileSync(join(PROJECT, document), 'utf8')));
