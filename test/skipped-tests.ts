/** Test files that a machine cannot run. */
export interface SkippedTests {
  /** Patterns of files. */
  readonly files: readonly string[];
  readonly why: string;
}

/**
 * Returns the test files that a machine skips, in the words of `process.platform` and `process.arch`.
 * @param hasOffice Whether LibreOffice is installed.
 */
export function skippedTests(platform: string, arch: string, hasOffice: boolean): SkippedTests[] {
  const browser = {
    files: [
      'test/system/pages/**',
      'test/system/dapp/{dapp,requested}.full.test.ts',
      'test/system/packages/client/installed-client.full.test.ts',
      'test/system/packages/react/gateway-provider.full.test.ts',
      'test/system/require-a-pass/react.full.test.ts',
    ],
    why: 'the browser of the tests is a program for Linux on x86-64',
  };
  const bench = { files: ['test/system/tools/bench/**'], why: "the benchmarks read Linux's own counters" };
  const office = { files: ['test/unit/packages/cli/libreoffice.full.test.ts'], why: 'LibreOffice is not installed' };
  const hasBrowser = platform === 'linux' && arch === 'x64';
  return [...(hasBrowser ? [] : [browser]), ...(platform === 'linux' ? [] : [bench]), ...(hasOffice ? [] : [office])];
}
