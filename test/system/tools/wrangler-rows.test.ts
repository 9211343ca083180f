import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { queryRows } from '../../../terminal/wrangler.ts';

it('returns the rows in the output of wrangler and ignores its other output', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
  process.env.WRANGLER_LOG = 'debug';
  try {
    const rows = await queryRows('SELECT 1 AS a; SELECT 2 AS b', ['DB', '--local', '--persist-to', folder]);
    expect(rows).toEqual([[{ a: 1 }], [{ b: 2 }]]);
  } finally {
    delete process.env.WRANGLER_LOG;
    rmSync(folder, { recursive: true });
  }
});
