import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaOf } from './schema.ts';

/** `npm run types -w @gatepass/client`: generates the client's types from the OpenAPI document. */
const CLIENT = join(import.meta.dirname, '..');
const document = readFileSync(join(CLIENT, '../../docs/partners/openapi.json'), 'utf8');
writeFileSync(join(CLIENT, 'src/schema.ts'), await schemaOf(document));
