/** `npm run collection` writes the Postman collection of `openapi.json`. With `--check`, it fails if the file is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { collectionOf } from './collection/collection.ts';
import { Failure, reportFailure } from './failure.ts';

const DOCUMENT = fileURLToPath(new URL('../openapi.json', import.meta.url));
const COLLECTION = fileURLToPath(new URL('../examples/gatepass.postman_collection.json', import.meta.url));

try {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const collection = collectionOf(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
  const text = `${JSON.stringify(collection, undefined, 2)}\n`;
  if (!values.check) writeFileSync(COLLECTION, text);
  else if (readFileSync(COLLECTION, 'utf8') !== text) {
    throw new Failure('the Postman collection does not match openapi.json: run `npm run collection`');
  }
} catch (error) {
  process.exitCode = reportFailure(error);
}
