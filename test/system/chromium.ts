import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import Packed from '@sparticuz/chromium';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { PROJECT } from '../../scripts/wrangler.ts';
import { lockfile } from '../unit/packages.ts';

export type { Browser, Page } from 'playwright-core';

/**
 * A headless browser that reaches 127.0.0.1 and nothing else; it takes some seconds the first time, then a tenth of one.
 * One is enough for a test file, with a page for each test. `close()` ends it, as the end of this process does.
 */
export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    ...(platform() === 'linux' && arch() === 'x64' ? await packed() : { channel: 'chrome' }),
    // Nobody listens at the discard port: what is not for this machine fails there, names and addresses alike.
    proxy: { server: 'http://127.0.0.1:9', bypass: '127.0.0.1' },
    args: ['--disable-background-networking'],
    chromiumSandbox: false,
  });
}

/**
 * The browser of the package, which needs no more of the machine than its libc. The arguments that the package recommends
 * are left out: they switch off what a page is to be tested against, CORS among it.
 */
async function packed(): Promise<LaunchOptions> {
  const version = lockfile().packages['node_modules/@sparticuz/chromium']?.version;
  const folder = join(PROJECT, 'node_modules', '.cache', `chromium-${version}`);
  if (!existsSync(folder)) await unpackInto(folder);
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  };
}

/** Whole or not at all: another test file may be about to do the same. */
async function unpackInto(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(`${folder}-`);
  await unpacked(temporary);
  await writeFile(join(temporary, 'fonts.conf'), fontsIn(folder));
  await rename(temporary, folder).catch(async (error) => {
    if (!existsSync(folder)) throw error;
    await rm(temporary, { recursive: true });
  });
}

/** The package asks the environment for the place, and whether its libraries are wanted; both when it is called. */
function unpacked(folder: string): Promise<string> {
  const before = { ...process.env };
  Object.assign(process.env, { TMPDIR: folder, CODEBUILD_BUILD_IMAGE: 'nodejs24' });
  try {
    return Packed.executablePath();
  } finally {
    for (const name of ['TMPDIR', 'CODEBUILD_BUILD_IMAGE']) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/** The machine's own fonts, where it has any, and those of the package. */
function fontsIn(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
