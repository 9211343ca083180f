import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { replaceFile } from '../replace-file.ts';
import {
  COMPILER,
  type CompiledWorkspace,
  compileWorkspace,
  folderOf,
  isCompiled,
  WORKSPACES,
  type Workspace,
} from './compile.ts';
import { type PackedFile, tarballOf } from './tarball.ts';

/** A package as npm installs it. */
export interface Package {
  readonly name: string;
  readonly version: string;
  /** The name of the file, without a version. */
  readonly stem: string;
  readonly tarball: Buffer;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly bin?: Readonly<Record<string, string>>;
  readonly bundleDependencies?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly repository: { readonly url: string };
}

const PROJECT = join(import.meta.dirname, '../..');
export const PACKAGES = join(PROJECT, 'dist', 'packages');
/** npm packs these always. */
const ALWAYS = ['package.json', 'README.md', 'LICENSE'];
const PACKED_FROM = [
  'packages/*/{package.json,tsconfig.json,*.md,LICENSE}',
  'packages/*/{src,bin}/**',
  'packages/contracts/{*.sol,artifacts/*.json}',
  'tools/packages/*',
];

export const manifestOf = (workspace: Workspace): Manifest =>
  JSON.parse(readFileSync(join(folderOf(workspace), 'package.json'), 'utf8'));

/** Returns the packages of the workspaces. Compiles them only if something has changed since the last time. */
export function packages(): readonly Package[] {
  const key = keyOf();
  const stored = readStored(key);
  if (stored !== undefined) return stored;
  const fresh = WORKSPACES.map((workspace) => describe(workspace, tarballOf(filesOf(workspace))));
  mkdirSync(PACKAGES, { recursive: true });
  for (const each of fresh) replaceFile(join(PACKAGES, fileOf(each)), each.tarball);
  replaceFile(join(PACKAGES, 'key'), Buffer.from(key));
  return fresh;
}

export const fileOf = ({ stem, version }: Package) => `${stem}-${version}.tgz`;

function describe(workspace: Workspace, tarball: Buffer): Package {
  const { name, version } = manifestOf(workspace);
  return { name, version, stem: name.replace('@', '').replace('/', '-'), tarball };
}

/** Everything that the packages are made from, as a hash. Other releases of Node may compress differently. */
function keyOf(): string {
  const hash = createHash('sha256').update(`${process.version} ${process.arch}\n`);
  hash.update(readFileSync(join(COMPILER, 'package.json')));
  for (const name of WORKSPACES.flatMap(containedIn)) hash.update(JSON.stringify(installedManifest(name)));
  for (const file of filesIn(PROJECT, PACKED_FROM)) hash.update(`${file}\n`).update(readFileSync(join(PROJECT, file)));
  return hash.digest('hex');
}

function readStored(key: string): readonly Package[] | undefined {
  try {
    if (readFileSync(join(PACKAGES, 'key'), 'utf8') !== key) return undefined;
    return WORKSPACES.map((workspace) => {
      const named = describe(workspace, Buffer.alloc(0));
      return { ...named, tarball: readFileSync(join(PACKAGES, fileOf(named))) };
    });
  } catch {
    return undefined;
  }
}

const filesIn = (folder: string, patterns: readonly string[]) =>
  globSync(patterns, { cwd: folder })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => statSync(join(folder, file)).isFile())
    .sort();

/** Returns the files of the package: those that its manifest names, its compiled code, and the packages that it contains. */
export function filesOf(workspace: Workspace): readonly PackedFile[] {
  const folder = folderOf(workspace);
  const { files, bin = {} } = manifestOf(workspace);
  const own = [...ALWAYS, ...files.filter((name) => name !== 'dist')].flatMap((name) =>
    filesIn(folder, [name, `${name}/**`]),
  );
  return [
    ...[...new Set(own)].map((path) => ({ ...read(folder, path), isProgram: Object.values(bin).includes(path) })),
    ...(isCompiled(workspace) ? compiledFilesOf(workspace) : []),
    ...containedIn(workspace).flatMap((name) => filesUnder(`node_modules/${name}/`, packageFiles(name))),
  ];
}

/** Returns the names of the packages in the package. npm installs nothing for them, so their own dependencies are in it too. */
export function containedIn(workspace: Workspace): readonly string[] {
  const names = new Set(manifestOf(workspace).bundleDependencies ?? []);
  // A set iterates over the names that it gets meanwhile.
  for (const name of names) for (const each of Object.keys(installedManifest(name).dependencies ?? {})) names.add(each);
  return [...names];
}

const workspaceOf = (name: string) => WORKSPACES.find((each) => manifestOf(each).name === name);

const installedManifest = (name: string): Partial<Manifest> =>
  JSON.parse(readFileSync(join(PROJECT, 'node_modules', name, 'package.json'), 'utf8'));

/** Returns the files of a workspace as it is packed, or of a package as it is installed. */
function packageFiles(name: string): readonly PackedFile[] {
  const workspace = workspaceOf(name);
  if (workspace !== undefined) return filesOf(workspace);
  const folder = join(PROJECT, 'node_modules', name);
  return filesIn(folder, ['**']).map((path) => read(folder, path));
}

const read = (folder: string, path: string): PackedFile => ({
  path,
  content: readFileSync(join(folder, path)),
  isProgram: false,
});

const filesUnder = (prefix: string, files: readonly PackedFile[]) =>
  files.map((file) => ({ ...file, path: prefix + file.path }));

function compiledFilesOf(workspace: CompiledWorkspace): readonly PackedFile[] {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-package-'));
  try {
    compileWorkspace(workspace, folder);
    return filesUnder(
      'dist/',
      filesIn(folder, ['**']).map((path) => read(folder, path)),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
