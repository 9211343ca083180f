import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaOf } from './schema.ts';

/** `npm run types -w client`: makes the client's types anew from the document. */
const CLIENT = join(import.meta.dirname, '..');
const document = readFileSync(join(CLIENT, '../openapi.json'), 'utf8');
writeFileSync(join(CLIENT, 'src/schema.ts'), await schemaOf(document));
