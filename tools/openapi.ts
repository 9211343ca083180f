/** `npm run openapi` writes the OpenAPI documents of the routes. With `--check`, it fails if one of the files is out of date. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Failure, reportFailure } from '../terminal/failure.ts';
import './worker-modules.ts';

const DOCS = fileURLToPath(import.meta.resolve('../docs'));

try {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const { openapiDocuments } = await import('./openapi/document.ts');
  const { default: own } = await import('../package.json', { with: { type: 'json' } });
  for (const [reader, document] of Object.entries(openapiDocuments(own.version))) {
    const file = join(DOCS, reader, 'openapi.json');
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (!values.check) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text) {
      throw new Failure(`docs/${reader}/openapi.json does not match the routes: run \`npm run openapi\``);
    }
  }
} catch (error) {
  process.exitCode = reportFailure(error);
}
