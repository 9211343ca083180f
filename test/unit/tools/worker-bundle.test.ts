import { beforeAll, describe, expect, it } from 'vitest';
import { bundleWorker, gzippedSize, type WorkerBundle } from '../../../tools/worker-bundle.ts';
import { documentedPackagesOf, lockfile, manifest, nameOf, textOf } from '../package-files.ts';

/** Returns the folders of the packages that contain these files, as the lockfile names them. */
function packagesOf(files: readonly string[]): string[] {
  const inPackage = /(?:^|\/)((?:node_modules\/(?:.+\/node_modules\/)?)(?:@[^/]+\/)?[^/]+)\//;
  return [...new Set(files.flatMap((file) => inPackage.exec(file)?.[1] ?? []))];
}

describe('the bundle', () => {
  let bundle: WorkerBundle;
  beforeAll(async () => {
    bundle = await bundleWorker();
    // A busy machine takes several times as long as an idle one.
  }, 60_000);

  const outputsOf = (isAtStart: boolean) =>
    Object.entries(bundle.metafile.outputs).flatMap(([path, output]) =>
      bundle.atStart.includes(path.slice(path.lastIndexOf('/') + 1)) === isAtStart ? [output] : [],
    );
  const filesIn = (outputs: ReturnType<typeof outputsOf>) =>
    outputs.flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
    );

  it('has a main module below 172 kB gzipped, and all its modules are below 260 kB', () => {
    expect(gzippedSize(bundle, bundle.atStart)).toBeLessThan(172_000);
    expect(gzippedSize(bundle)).toBeLessThan(260_000);
  });

  it("omits kit's error texts, as dependencies.md promises", () => {
    const code = Buffer.concat([...bundle.modules.values()]).toString();
    expect(code).toMatch(/Solana error #/);
    expect(code).not.toMatch(/no wallet connected/);
  });

  it('has its main module in one file, beside the entry that only names the exports', () => {
    const [entry = '', ...others] = bundle.atStart;
    expect(others).toHaveLength(1);
    expect(bundle.modules.get(entry)?.length).toBeLessThan(1_000);
  });

  it('has no code twice', () => {
    const files = filesIn([...outputsOf(true), ...outputsOf(false)]);
    expect(files.toSorted()).toEqual([...new Set(files)].toSorted());
  });

  it.each([
    ["the operator's room", /^src\/operator\//],
    ['the reconciliation, and the restore of a database', /^src\/(consumer\/(reconcile|compare)|store\/runs)\.ts/],
    ['moves between databases', /^src\/store\/moves\.ts/],
    ['the watcher', /^src\/(watcher-object\/(?!watcher-object)|chain\/open-watch|chain\/\w+\/(scan|watch)\.ts)/],
    ['the simulation of a sandbox', /^src\/(sandbox-object\/(?!sandbox-object)|http\/pass\/trigger-event)/],
    ["a signer's answers to the operator", /^src\/signer-object\/(operator|status)\.ts/],
    ['the deliveries of webhooks', /^src\/webhook-object\/delivery-run\.ts/],
    ['subjects', /^src\/(subject-object\/(?!subject-object)|pass\/subject-changes)/],
    [
      'the routes beside passes',
      /^src\/http\/(managing-routes|schemas\/managing|routes\/(subjects|webhooks|audit|sandbox|console))\.ts/,
    ],
    ['the signature of a public check', /^src\/http\/routes\/sign-verdict\.ts/],
  ])('loads %s on demand', (_, files) => {
    expect(filesIn(outputsOf(false)).filter((file) => files.test(file))).not.toEqual([]);
    expect(filesIn(outputsOf(true)).filter((file) => files.test(file))).toEqual([]);
  });

  it('loads nothing on demand between the request of a partner and its settlement', () => {
    const importers = Object.entries(bundle.metafile.inputs).flatMap(([file, { imports }]) =>
      imports.some(({ kind }) => kind === 'dynamic-import') ? [file] : [],
    );
    expect(importers.toSorted()).toEqual([
      // Slices of the reconciliation.
      'src/consumer/consume.ts',
      // The documents of the API.
      'src/http/pages/openapi-reply.ts',
      // The events that a sandbox causes on demand.
      'src/http/routes/sandbox.ts',
      // The signature of a public check.
      'src/http/routes/verify.ts',
      // The routes beside passes, and the refusal of a Worker that is not configured, and serves no partner.
      'src/http/serve.ts',
      // The changes of a subject.
      'src/pass-object/pass-object.ts',
      'src/sandbox-object/sandbox-object.ts',
      // The operator's questions to a signer.
      'src/signer-object/signer-object.ts',
      'src/store/store.ts',
      // Passes that have a subject.
      'src/subject-object/subject-object.ts',
      'src/watcher-object/watcher-object.ts',
      'src/webhook-object/webhook-object.ts',
      // The operator's room.
      'src/worker.ts',
    ]);
  });

  it('contains code of exactly the packages and versions that docs/dependencies.md lists, all under the MIT license', () => {
    const { packages } = lockfile();
    const { chosen, along } = documentedPackagesOf(textOf('docs/dependencies.md'));
    // A package that only re-exports other packages, like `@solana/kit`, has no own code in the bundle.
    const { dependencies } = manifest();
    const read = packagesOf(Object.keys(bundle.metafile.inputs)).filter((it) =>
      Object.hasOwn(dependencies, nameOf(it)),
    );
    const bundled = [...new Set([...read, ...packagesOf(filesIn([...outputsOf(true), ...outputsOf(false)]))])];

    const named = bundled.map((it) => `${nameOf(it)} ${packages[it]?.version}`);
    expect(named.toSorted()).toEqual([...chosen, ...along].toSorted());
    expect(bundled.filter((it) => packages[it]?.license !== 'MIT')).toEqual([]);
  });

  it('imports only the modules of the runtime that it needs, because each module slows down every start', () => {
    const imported = outputsOf(true).flatMap(({ imports }) => imports.filter(({ external }) => external));
    expect(new Set(imported.map(({ path }) => path))).toEqual(new Set(['cloudflare:workers', 'node:crypto']));
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
