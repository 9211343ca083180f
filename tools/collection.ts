/** `npm run collection` writes the Postman collection of `openapi.json`. With `--check`, it fails if the file is out of date. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { collectionOf } from './collection/collection.ts';
import { writeGenerated } from './generated-file.ts';

const DOCUMENT = fileURLToPath(new URL('../docs/partners/openapi.json', import.meta.url));
const COLLECTION = fileURLToPath(new URL('../examples/gatepass.postman_collection.json', import.meta.url));

writeGenerated(
  COLLECTION,
  'the Postman collection does not match openapi.json: run `npm run collection`',
  () => `${JSON.stringify(collectionOf(JSON.parse(readFileSync(DOCUMENT, 'utf8'))), undefined, 2)}\n`,
);
