import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wrangler } from '../../../scripts/wrangler.ts';
import { documented, lockfile, manifest, nameOf, textOf } from '../../unit/packages.ts';

/** What esbuild tells about a bundle: the files it has read, and how much of each is in what it wrote. */
interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, Output>>;
}

interface Output {
  readonly inputs: Readonly<Record<string, { bytesInOutput: number }>>;
  readonly imports: readonly { path: string }[];
}

/** The folders, as in the lockfile, of the packages that these files belong to. */
function packagesOf(files: readonly string[]): string[] {
  const inPackage = /(?:^|\/)((?:node_modules\/(?:.+\/node_modules\/)?)(?:@[^/]+\/)?[^/]+)\//;
  return [...new Set(files.flatMap((file) => inPackage.exec(file)?.[1] ?? []))];
}

describe('the bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
  let code: Buffer;
  let metafile: Metafile;
  beforeAll(async () => {
    await wrangler(['deploy', '--dry-run', '--minify', '--env=', '--metafile', '--outdir', folder]);
    code = readFileSync(join(folder, 'worker.js'));
    metafile = JSON.parse(readFileSync(join(folder, 'bundle-meta.json'), 'utf8'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("stays small, and viem's clients, which dependencies.md promises to leave out, are not in it", () => {
    expect(gzipSync(code).length).toBeLessThan(130_000);
    expect(code.toString()).not.toMatch(/eth_getFilterChanges/);
  });

  it('holds code of exactly the packages that docs/dependencies.md lists, in their versions, under the MIT license', () => {
    const { packages } = lockfile();
    const { chosen, along } = documented(textOf('docs/dependencies.md'));
    const inCode = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    );
    // A package that only passes on what others hold, as `@solana/kit` does, has no code of its own in it.
    const { dependencies } = manifest();
    const read = packagesOf(Object.keys(metafile.inputs)).filter((it) => Object.hasOwn(dependencies, nameOf(it)));
    const bundled = [...new Set([...read, ...packagesOf(inCode)])];

    const named = bundled.map((it) => `${nameOf(it)} ${packages[it]?.version}`);
    expect(named.toSorted()).toEqual([...chosen, ...along].toSorted());
    expect(bundled.filter((it) => packages[it]?.license !== 'MIT')).toEqual([]);
  });

  it('loads no more of the runtime than it needs: each of its modules takes time at every start', () => {
    const loaded = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
    expect(new Set(loaded)).toEqual(new Set(['cloudflare:workers', 'node:crypto', 'events', 'path', 'fs/promises']));
  });

  it.each`
    file                                                     | folder
    ${'src/worker.ts'}                                       | ${[]}
    ${'node_modules/jose/dist/a.js'}                         | ${['node_modules/jose']}
    ${'../clone/node_modules/@scure/base/lib/a.js'}          | ${['node_modules/@scure/base']}
    ${'node_modules/viem/node_modules/@noble/curves/a/b.js'} | ${['node_modules/viem/node_modules/@noble/curves']}
  `('$file is of $folder', ({ file, folder }) => {
    expect(packagesOf([file])).toEqual(folder);
  });
});
