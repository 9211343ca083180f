import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { wrangler } from '../../scripts/wrangler.ts';

it('the bundle stays small, and no more than what runs is in it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
  try {
    await wrangler(['deploy', '--dry-run', '--minify', '--env=', '--outdir', folder]);
    const bundle = readFileSync(join(folder, 'worker.js'));
    expect(gzipSync(bundle).length).toBeLessThan(130_000);
    // Development packages, and viem's clients, which dependencies.md promises to leave out.
    expect(bundle.toString()).not.toMatch(/oidc-provider|ethers\/|eth_getFilterChanges/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
