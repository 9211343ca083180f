/** `npm run openapi` writes the OpenAPI document of the routes. With `--check`, it fails if the file is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Failure, reportFailure } from '../terminal/failure.ts';
import './worker-modules.ts';

const DOCUMENT = fileURLToPath(import.meta.resolve('../docs/partners/openapi.json'));

try {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const { openapiDocument } = await import('./openapi/document.ts');
  const { default: own } = await import('../package.json', { with: { type: 'json' } });
  const text = `${JSON.stringify(openapiDocument(own.version), null, 2)}\n`;
  if (!values.check) writeFileSync(DOCUMENT, text);
  else if (readFileSync(DOCUMENT, 'utf8') !== text) {
    throw new Failure('openapi.json does not match the routes: run `npm run openapi`');
  }
} catch (error) {
  process.exitCode = reportFailure(error);
}
