import { execFileSync } from 'node:child_process';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DOWNLOADS } from '../../../src/http/pages/files.ts';
import { WORKSPACES } from '../../../tools/packages/compile.ts';
import { containedIn, fileOf, filesOf, packages } from '../../../tools/packages/pack.ts';
import { tarballOf } from '../../../tools/packages/tarball.ts';
import { manifestOf } from '../package-files.ts';

/** The packages of the workspaces. `test/system/packages/` installs them with npm. */

const PROJECT = join(import.meta.dirname, '../../..');
const file = (path: string, content = path, isProgram = false) => ({ path, content: Buffer.from(content), isProgram });
const list = (tarball: Buffer, ...options: string[]) =>
  execFileSync('tar', ['-tz', ...options], { input: tarball, encoding: 'utf8', env: { ...process.env, TZ: 'UTC' } })
    .trim()
    .split('\n');

describe('tarballOf', () => {
  it('returns the same bytes for the same files in any order', () => {
    const files = [file('b/c.js'), file('a.js', 'x'.repeat(512)), file('d.js', '')];
    expect(tarballOf(files.toReversed())).toEqual(tarballOf(files));
    expect(tarballOf([...files.slice(1), file('b/c.js', 'other')])).not.toEqual(tarballOf(files));
  });

  it('returns an archive that tar reads, without the owner and the time of the machine', () => {
    const archive = tarballOf([file('package.json', '{}'), file('bin/a.js', 'x'.repeat(513), true)]);
    expect(list(archive)).toEqual(['package/bin/a.js', 'package/package.json']);
    const [program = '', manifest = ''] = list(archive, '-v', '--numeric-owner').map((line) =>
      line.replaceAll(/ +/g, ' '),
    );
    expect(program).toMatch(/^-rwxr-xr-x 0[/ ]0? ?513 1985-10-26 08:15/);
    expect(manifest).toMatch(/^-rw-r--r-- 0[/ ]0? ?2 1985-10-26 08:15/);
    const content = execFileSync('tar', ['-xzO', 'package/bin/a.js'], { input: archive, encoding: 'utf8' });
    expect(content).toBe('x'.repeat(513));
  });

  it.each(['a\nb', 'ä.js', 'a'.repeat(100), 'a b'])(
    'refuses the name %j, which older readers would cut or change',
    (name) => {
      expect(() => tarballOf([file(name)])).toThrow('a package cannot contain');
    },
  );
});

describe.each(WORKSPACES)('the package of %s', (workspace) => {
  const files = filesOf(workspace);
  const own = files.filter(({ path }) => !path.startsWith('node_modules/'));

  it('has its code, a manifest, a license, a README and a changelog, and nothing else', () => {
    const paths = own.map(({ path }) => path);
    const code =
      workspace === 'contracts' ? /^\w+\.sol$|^artifacts\/\w+\.json$/ : /^(?:dist|bin)\/[\w/-]+\.(?:d\.ts|js)$/;
    const others = paths.filter((path) => !code.test(path));
    expect(others.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    const [folder, count] = workspace === 'contracts' ? ['artifacts/', 3] : ['dist/', 5];
    expect(paths.filter((path) => path.startsWith(folder)).length).toBeGreaterThanOrEqual(count);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('says nothing about the machine that packs', () => {
    const text = own.map(({ content }) => content.toString()).join('\n');
    for (const secret of [PROJECT, homedir(), hostname(), 'sourceMappingURL'])
      expect(text.includes(`${secret}/`) || text.includes(`${secret}=`), secret).toBe(false);
  });

  it('is the same each time, and its names are those under /downloads', () => {
    const packed = packages().find(({ name }) => name === manifestOf(`packages/${workspace}`).name);
    expect(packed?.tarball.equals(tarballOf(files))).toBe(true);
    expect(DOWNLOADS).toContain(packed && fileOf(packed));
    expect(DOWNLOADS).toContain(`${packed?.stem}.tgz`);
    expect(gunzipSync(packed?.tarball ?? '').length).toBeGreaterThan(workspace === 'contracts' ? 40_000 : 100_000);
  });

  it('contains every package that npm would not find for it', () => {
    const contained = containedIn(workspace);
    expect(contained).toEqual(
      ['client', 'contracts'].includes(workspace)
        ? []
        : ['@gatepass/client', 'openapi-fetch', 'openapi-typescript-helpers'],
    );
    for (const name of contained) {
      const paths = files.map(({ path }) => path);
      expect(paths).toContain(`node_modules/${name}/package.json`);
      expect(paths).toContain(`node_modules/${name}/LICENSE`);
    }
  });
});
