import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { expect, it } from 'vitest';

const REACT = join(import.meta.dirname, '../../../../packages/react/src');
const MAX_BYTES = 6_000;

it.each(['core.ts', 'solana.ts', 'react.ts', 'verdict.ts'])('%s has at most 6 kB gzipped, without peers', (file) => {
  const { outputFiles } = buildSync({
    entryPoints: [join(REACT, file)],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    external: ['react', '@solana/kit'],
    alias: { '@gatepass/client/verify': join(REACT, '../../client/src/verify.ts') },
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', target: 'es2022' } },
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? '').length;
  expect(bytes).toBeGreaterThan(500);
  expect(bytes).toBeLessThanOrEqual(MAX_BYTES);
  console.log(`${file}: ${bytes} bytes gzipped`);
});
