import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { openStateFolder } from '../../../tools/localnet/state/state-folder.ts';
import { codeBlocks, textOf } from '../../unit/documents/markdown.ts';
import { settingsOf } from '../packages/cli/gatepass-command.ts';
import { compile, installClient } from '../packages/client/install-client.ts';
import { runProgram } from '../run-program.ts';

/**
 * The code that the API reference shows for its operations, as the page makes it from the document of the service, and the tabs of the API
 * guide. `readme-quickstart.test.ts` runs the guide's commands for curl.
 */

interface Operation {
  readonly operationId: string;
  readonly tags?: readonly string[];
}

type Samples = Readonly<Record<string, string>>;

const facts = inject('gatepass');
const settings = settingsOf(facts);
const state = openStateFolder();
afterAll(() => state.close());

const { samplesOf } = (await import(join(PROJECT, 'pages/docs/theme/samples.js'))) as {
  samplesOf(operation: Operation, path: string, method: string): Samples;
};
const { paths } = (await (await fetch(`${facts.baseUrl}/openapi.json`)).json()) as {
  paths: Record<string, Record<string, Operation>>;
};

/** The samples by operation. */
const SAMPLES = new Map(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(
      ([method, operation]) => [operation.operationId, samplesOf(operation, path, method)] as const,
    ),
  ),
);

/** The operations in an order in which each finds what it needs. */
const IN_ORDER = [
  ...['issuePass', 'getPass', 'searchPasses', 'updatePass', 'listEvents', 'getUsage', 'listAudit', 'listWebhooks'],
  'revokePass',
];

/** Returns the code of a tab, in order and with a wallet of its own. */
function codeOf(tab: string, operations: readonly string[] = IN_ORDER): string[] {
  const wallet = freshWallet('sepolia');
  const codes = operations.flatMap((operation) => SAMPLES.get(operation)?.[tab] ?? []);
  return codes.map((code) => code.replaceAll('0x52908400098527886E0F7030069857D2E4169EE7', wallet));
}

/** Returns the blocks of a tab of the API guide, in order and with a wallet of their own. */
function guideOf(language: string, tab: string): string[] {
  const wallet = freshWallet('sepolia');
  const blocks = codeBlocks(textOf('docs/partners/api.md'), `${language} \\[${tab}\\]`);
  expect(blocks.length).toBeGreaterThan(4);
  return blocks.map((code) => code.trim().replaceAll('0x8617E340B3D01FA5F11F306F4090FD50E238070D', wallet));
}

it('every operation has code for curl, and no operation has code that no test here runs', () => {
  const named = [...SAMPLES].filter(([, samples]) => Object.keys(samples).length > 1).map(([operation]) => operation);
  expect(named.toSorted()).toEqual(IN_ORDER.toSorted());
  for (const [operation, { curl }] of SAMPLES)
    expect([operation, curl]).toEqual([operation, expect.stringMatching(/^curl /)]);
});

it('the code in each language begins with the line that installs it', () => {
  for (const [operation, { curl: _, ...others }] of SAMPLES)
    for (const [tab, code] of Object.entries(others))
      expect([operation, tab, code]).toEqual([
        operation,
        tab,
        expect.stringMatching(/^(?:\/\/|#) (?:npm install|curl) .*"\$GATEPASS_URL\/downloads\/gatepass\S+"/),
      ]);
});

it('the code for curl works', async () => {
  const lines = codeOf('curl').map((code) => code.replace('curl ', 'curl --fail-with-body -sS -o /dev/null '));
  const token = `TOKEN=$(curl -s "$GATEPASS_TOKEN_URL" -u "$GATEPASS_CLIENT_ID:$GATEPASS_CLIENT_SECRET" -d grant_type=client_credentials \
    | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
  expect(lines).toHaveLength(IN_ORDER.length);
  const ran = await runProgram(['bash', '-ec', [token, ...lines].join('\n')], settings);
  expect(ran).toMatchObject({ code: 0, stdout: '' });
});

it('the code for TypeScript compiles, and runs as it is', async () => {
  await installClient(state.folder);
  const node = join(state.folder, 'node.d.ts');
  writeFileSync(node, 'declare const process: { readonly env: Record<string, string | undefined> };');
  const samples = codeOf('TypeScript');
  expect(samples.length).toBeGreaterThan(5);
  const start = samples[0]?.slice(0, samples[0].indexOf('\n\nconst pass')) ?? '';
  const guide = [start, ...guideOf('ts', 'TypeScript')].join('\n');
  const programs = [...samples, guide].map((code, index) => {
    const program = join(state.folder, `sample-${index}.mts`);
    writeFileSync(program, code);
    return program;
  });
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--skipDefaultLibCheck'];
  await compile(state.folder, [...options, node, ...programs]);
  // The samples are JavaScript too, so they run without the compiler. The guide continues a program in TypeScript.
  for (const [index, code] of samples.entries()) writeFileSync(join(state.folder, `sample-${index}.mjs`), code);
  const imports = programs.map((_, index) => `await import('./sample-${index}.mjs');`);
  writeFileSync(join(state.folder, 'samples.mjs'), imports.join('\n'));
  expect(await runProgram([process.execPath, join(state.folder, 'samples.mjs')], settings)).toMatchObject({
    code: 0,
    stderr: '',
  });
});

it('the code for Python works', async () => {
  copyFileSync(join(PROJECT, 'examples/gatepass.py'), join(state.folder, 'gatepass.py'));
  const codes = [...codeOf('Python'), ...guideOf('python', 'Python')];
  expect(codes.length).toBeGreaterThan(10);
  const program = join(state.folder, 'samples.py');
  writeFileSync(program, `${codes.join('\n')}\n`);
  expect(await runProgram(['python3', '-B', program], settings)).toMatchObject({ code: 0, stderr: '' });
});

it('the code for the command works', async () => {
  const gatepass = `gatepass() { "${process.execPath}" -- "${join(PROJECT, 'packages/cli/bin/gatepass.js')}" "$@"; }`;
  // A person confirms the revocation.
  const lines = [...codeOf('Command'), ...guideOf('sh', 'Command')].map((line) =>
    line.replace(/^gatepass revoke .*/m, '$& --yes'),
  );
  expect(lines.length).toBeGreaterThan(12);
  const ran = await runProgram(['bash', '-ec', [gatepass, ...lines].join('\n')], settings);
  expect(ran).toMatchObject({ code: 0 });
});
