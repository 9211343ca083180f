#!/usr/bin/env -S node --
// Without `--`, Node itself reads the option --env-file.
import { existsSync } from 'node:fs';

// The package has compiled files. A checkout has only the sources, which Node 24 runs as they are.
const source = new URL('../src/main.ts', import.meta.url);
if (existsSync(source)) {
  const { registerHooks } = await import('node:module');
  const client = new URL('../../client/src/gatepass.ts', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) => next(specifier === '@gatepass/client' ? client : specifier, context),
  });
  await import(source.href);
} else {
  await import('../dist/main.js');
}
