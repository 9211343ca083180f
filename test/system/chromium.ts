import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import Packed from '@sparticuz/chromium';
import { type Browser, chromium, type LaunchOptions } from 'playwright-core';
import { PROJECT } from '../../terminal/wrangler.ts';
import { lockfile } from '../unit/package-files.ts';

export type { Browser, Page } from 'playwright-core';

/** The default time limit of a page. It only ends a test that hangs; the library's is half a minute. */
export const HANGS_AFTER_MS = 120_000;

/**
 * Starts a headless browser that can reach only 127.0.0.1. The first start unpacks it, which takes some seconds. One
 * browser is enough for a test file, with a page for each test.
 */
export async function startChromium(): Promise<Browser> {
  return chromium.launch({
    ...(platform() === 'linux' && arch() === 'x64' ? await launchPacked() : { channel: 'chrome' }),
    // No server listens on the discard port, so every request to another host fails.
    proxy: { server: 'http://127.0.0.1:9', bypass: '127.0.0.1' },
    args: ['--disable-background-networking'],
    chromiumSandbox: false,
  });
}

/**
 * Launch options for the browser of the package, which needs only libc. They leave out the arguments that the package
 * recommends, because those switch off CORS and other checks that the tests need.
 */
async function launchPacked(): Promise<LaunchOptions> {
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

/** Unpacks into a temporary folder and renames it, because another test file may unpack the browser at the same time. */
async function unpackInto(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const temporary = await mkdtemp(`${folder}-`);
  await unpack(temporary);
  await writeFile(join(temporary, 'fonts.conf'), fontConfigFor(folder));
  await rename(temporary, folder).catch(async (error) => {
    if (!existsSync(folder)) throw error;
    await rm(temporary, { recursive: true });
  });
}

/** Unpacks the browser. The package reads from the environment where to unpack, and whether to unpack its libraries too. */
function unpack(folder: string): Promise<string> {
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

/** Returns a font configuration with the fonts of the machine, if it has any, and of the package. */
function fontConfigFor(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
