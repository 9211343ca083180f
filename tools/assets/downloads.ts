import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download } from '../../src/http/pages/files.ts';
import { fileOf, packages } from '../packages/pack.ts';

const PYTHON_MODULE = join(import.meta.dirname, '../../examples/gatepass.py');

/** A file for partners. `versioned` is a second name of the same bytes. */
interface Offered {
  readonly name: string;
  readonly version: string;
  readonly file: string;
  readonly versioned?: string;
  readonly content: Buffer;
}

/** Add a row for a further file, and its names to `DOWNLOADS` in `src/http/pages/files.ts`. */
const offered = (): readonly Offered[] => [
  ...packages().map((each) => ({
    name: each.name,
    version: each.version,
    file: `${each.stem}.tgz`,
    versioned: fileOf(each),
    content: each.tarball,
  })),
  pythonModule(),
];

/** The module for Python names its version itself. */
function pythonModule(): Offered {
  const content = readFileSync(PYTHON_MODULE);
  const [, version] = /^__version__ = "(.+)"$/m.exec(content.toString()) ?? [];
  if (version === undefined) throw new Error('examples/gatepass.py has no __version__');
  return { name: 'gatepass.py', version, file: 'gatepass.py', versioned: `gatepass-${version}.py`, content };
}

/** Returns the files under `/downloads`, and the list of them with their hashes. */
export function downloads(): ReadonlyMap<Download, Buffer> {
  const files = offered();
  const list = files.map(({ name, version, file, versioned, content }) => ({
    name,
    version,
    file: versioned ?? file,
    newest: file,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
  }));
  return new Map([
    ['index.json', Buffer.from(`${JSON.stringify({ downloads: list }, undefined, 2)}\n`)],
    ...files.flatMap(({ file, versioned, content }) =>
      [file, versioned ?? file].map((name) => [name, content] as const),
    ),
  ] as [Download, Buffer][]);
}
