import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWrangler } from '../../../terminal/wrangler.ts';
import { documentedPackagesOf, lockfile, manifest, nameOf, textOf } from '../../unit/package-files.ts';

/** esbuild's description of a bundle: the input files, and the bytes of each in the outputs. */
interface Metafile {
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly outputs: Readonly<Record<string, Output>>;
}

interface Output {
  readonly inputs: Readonly<Record<string, { bytesInOutput: number }>>;
  readonly imports: readonly { path: string; kind: string }[];
}

/** Returns the folders of the packages that contain these files, as the lockfile names them. */
function packagesOf(files: readonly string[]): string[] {
  const inPackage = /(?:^|\/)((?:node_modules\/(?:.+\/node_modules\/)?)(?:@[^/]+\/)?[^/]+)\//;
  return [...new Set(files.flatMap((file) => inPackage.exec(file)?.[1] ?? []))];
}

describe('the bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
  let code: Buffer;
  let metafile: Metafile;
  beforeAll(async () => {
    await runWrangler(['deploy', '--dry-run', '--minify', '--metafile', '--outdir', folder]);
    code = readFileSync(join(folder, 'worker.js'));
    metafile = JSON.parse(readFileSync(join(folder, 'bundle-meta.json'), 'utf8'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("the bundle is smaller than 185 kB compressed, and omits kit's error texts as dependencies.md promises", () => {
    expect(gzipSync(code).length).toBeLessThan(185_000);
    expect(code.toString()).toMatch(/Solana error #/);
    expect(code.toString()).not.toMatch(/no wallet connected/);
  });

  it('the bundle contains code of exactly the packages and versions that docs/dependencies.md lists, all under the MIT license', () => {
    const { packages } = lockfile();
    const { chosen, along } = documentedPackagesOf(textOf('docs/dependencies.md'));
    const inCode = Object.values(metafile.outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    );
    // A package that only re-exports other packages, like `@solana/kit`, has no own code in the bundle.
    const { dependencies } = manifest();
    const read = packagesOf(Object.keys(metafile.inputs)).filter((it) => Object.hasOwn(dependencies, nameOf(it)));
    const bundled = [...new Set([...read, ...packagesOf(inCode)])];

    const named = bundled.map((it) => `${nameOf(it)} ${packages[it]?.version}`);
    expect(named.toSorted()).toEqual([...chosen, ...along].toSorted());
    expect(bundled.filter((it) => packages[it]?.license !== 'MIT')).toEqual([]);
  });

  it('the bundle imports only the runtime modules that it needs, because each module slows down every start', () => {
    const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports);
    const [later, first] = [true, false].map((isLater) =>
      imported.filter(({ kind }) => (kind === 'dynamic-import') === isLater).map(({ path }) => path),
    );
    expect(new Set(first)).toEqual(new Set(['cloudflare:workers', 'node:crypto']));
    const onDemand = ['deployment-document', 'metrics-text', 'moves', 'simulation'].map(
      (name) => `./on-demand/${name}.mjs`,
    );
    expect(later?.toSorted()).toEqual(onDemand);
  });

  it.each`
    file                                                     | folder
    ${'src/worker.ts'}                                       | ${[]}
    ${'node_modules/jose/dist/a.js'}                         | ${['node_modules/jose']}
    ${'../clone/node_modules/@scure/base/lib/a.js'}          | ${['node_modules/@scure/base']}
    ${'node_modules/viem/node_modules/@noble/curves/a/b.js'} | ${['node_modules/viem/node_modules/@noble/curves']}
  `('packagesOf names $folder for the file $file', ({ file, folder }) => {
    expect(packagesOf([file])).toEqual(folder);
  });
});
