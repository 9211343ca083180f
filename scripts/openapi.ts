/** `npm run openapi`: writes the OpenAPI document; with `--check`, fails when it is not what the routes make of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Failure, reportFailure } from './failure.ts';
import './worker-modules.ts';

const DOCUMENT = fileURLToPath(import.meta.resolve('../openapi.json'));

try {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const { openapiDocument } = await import('./openapi/document.ts');
  const { default: own } = await import('../package.json', { with: { type: 'json' } });
  const text = `${JSON.stringify(openapiDocument(own.version), null, 2)}\n`;
  if (!values.check) writeFileSync(DOCUMENT, text);
  else if (readFileSync(DOCUMENT, 'utf8') !== text) {
    throw new Failure('openapi.json is not what the routes make of it: `npm run openapi` writes it anew');
  }
} catch (error) {
  process.exitCode = reportFailure(error);
}
