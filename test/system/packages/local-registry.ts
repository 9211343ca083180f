import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { tarballOf } from '../../../tools/packages/tarball.ts';

/**
 * A registry for a real npm, which has the packages that `npm ci` installed here, in their one version, and no others. It records which
 * names npm asks for.
 */
export async function startLocalRegistry() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const [, tarball, name = ''] = /^\/(-\/)?(.+?)(?:\.tgz)?$/.exec(decodeURIComponent(request.url ?? '')) ?? [];
    if (tarball === undefined) asked.push(name);
    const packed = packInstalled(name);
    if (packed === undefined) return void response.writeHead(404).end('{}');
    if (tarball !== undefined) return void response.end(packed.tarball);
    const { manifest } = packed;
    const integrity = `sha512-${createHash('sha512').update(packed.tarball).digest('base64')}`;
    const dist = { tarball: `${url}/-/${encodeURIComponent(name)}.tgz`, integrity };
    const versions = { [manifest.version]: { ...manifest, dist } };
    response.end(JSON.stringify({ name, 'dist-tags': { latest: manifest.version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked, close: () => server.close() };
}

/** npm installs a package of a workspace beside it if the root has another version. */
const PLACES = ['packages/cli/node_modules', 'node_modules'];

function packInstalled(name: string) {
  const folder = PLACES.map((place) => join(PROJECT, place, name)).find((each) => existsSync(each));
  if (folder === undefined) return undefined;
  const paths = globSync('**', { cwd: folder, exclude: (path) => path === 'node_modules' });
  const files = paths.filter((path) => statSync(join(folder, path)).isFile());
  const tarball = tarballOf(
    files.map((path) => ({ path, content: readFileSync(join(folder, path)), isProgram: false })),
  );
  return { manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')), tarball };
}
