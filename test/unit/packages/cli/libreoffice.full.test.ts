import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { stringify } from 'csv-stringify/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { formatTokens, HEADER } from '../../../../ops/takeover/token-rows.ts';
import { planRows } from '../../../../packages/cli/src/csv/plan-rows.ts';
import { AS_CELLS } from '../../../../packages/cli/src/csv/spreadsheet-cell.ts';
import { openResultFile } from '../../../../packages/cli/src/run/result-file.ts';
import { passesFile, resultsFile } from '../../../../pages/console/many/csv-files.ts';
import { readRows } from '../../../../pages/console/many/csv-rows.ts';
import { findOffice } from '../../../find-office.ts';

/** LibreOffice opens and saves each CSV file that command, console and scan write, and the imports find no change. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-office-'));
afterAll(() => rmSync(folder, { recursive: true, maxRetries: 5 }));

const REFERENCES = [
  ...['00123', '1E5', '12345678901234567890', '123', '1-2', '2026-01-02', '12:30', '2-Jan', 'MARCH1', 'TRUE', '1.50'],
  ...[
    '=1+2',
    '-5',
    '@x',
    "'=1",
    "'00123",
    "''1",
    "it's",
    '#N/A',
    '1.23E+19',
    '50%',
    'a, "b"',
    'Jürgen',
    '山',
    'order-4711',
  ],
];
const walletOf = (index: number) => `0x${String(index + 1).padStart(40, '0')}`;
const EXPIRY = 4_000_000_000;

/** The options of the CSV filter: comma, quote, UTF-8, English; the last one says whether it looks for dates and the like too. */
const opened = (detects: boolean) => `Text - txt - csv (StarCalc):44,34,76,1,,1033,false,${detects}`;
const SAVED = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false';

/** Opens a file in LibreOffice and saves it. Returns the saved file. */
async function save(file: string, detects: boolean): Promise<string> {
  const output = join(folder, `saved-${detects}`);
  mkdirSync(output, { recursive: true });
  const profile = `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`;
  const command = ['--headless', '--norestore', `--infilter=${opened(detects)}`, '--convert-to', SAVED];
  await promisify(execFile)(findOffice() ?? '', [profile, ...command, '--outdir', output, file]);
  return join(output, basename(file));
}

function write(name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const later = async () => 1_800_000_000;
const found = REFERENCES.map((reference, index) => ({
  id: crypto.randomUUID(),
  chain: { type: 'ethereum', network: 'sepolia' },
  walletAddress: walletOf(index),
  ...{ state: 'ACTIVE', onChainState: 'ACTIVE', valid: true, validUntil: EXPIRY, expiryTimestamp: EXPIRY, events: [] },
  reference,
}));

describe.each([false, true])('with the detection of special numbers: %s', (detects) => {
  it('the export of the console, which has the columns of the command, is imported without a change', async () => {
    const file = write('passes.csv', await passesFile(found as never));
    const saved = await save(file, detects);
    for (const verb of ['set-reference', 'issue', 'set-expiry'] as const)
      expect(await planRows(saved, verb, {}, later)).toEqual(await planRows(file, verb, {}, later));
    expect([...(await planRows(saved, 'issue', {}, later)).names.reference.values()]).toEqual(REFERENCES);
    expect(await readRows(readFileSync(saved), '')).toEqual(await readRows(readFileSync(file), ''));
  });

  it('the results of the console are imported without a change', async () => {
    const results = found.map(({ walletAddress, reference, id }) => ({
      ...{ walletAddress, network: 'sepolia', reference, outcome: 'accepted', pass: id },
    }));
    const file = write('results.csv', await resultsFile(results));
    const saved = await save(file, detects);
    expect(await readRows(readFileSync(saved), '')).toEqual(await readRows(readFileSync(file), ''));
  });

  it('a run continues with its result file', async () => {
    const cells = found.map(({ walletAddress, reference }) => ['sepolia', walletAddress, reference]);
    const head = ['network', 'walletAddress', 'reference'];
    const plan = await planRows(
      write('rows.csv', stringify([head, ...cells], { cast: AS_CELLS })),
      ...(['issue', {}, later] as const),
    );
    const owner = { service: 'https://passes.example', client: '00123' };
    const kept = { all: false, failed: false, accepted: false };
    const path = join(folder, `rows-${detects}.results.csv`);
    const begun = await openResultFile(path, plan, owner, kept);
    begun.append([...plan.passes].map(([name, expiry]) => ({ name, expiry, outcome: 'settled' as const, pass: 'a' })));
    const saved = await openResultFile(await save(path, detects), plan, owner, kept);
    expect(saved.earlier.size).toBe(REFERENCES.length);
  });

  it('the file of a scan is imported without a change', async () => {
    const tokens = found.map(({ walletAddress: wallet }, index) => ({
      ...{ network: { chain: 'ethereum', network: 'sepolia' }, wallet, state: 'ACTIVE', issuer: wallet },
      ...{ expiry: index % 2 === 0 ? EXPIRY : undefined, token: '12345678901234567890', block: index },
    }));
    const file = write('tokens.csv', HEADER + formatTokens(tokens as never));
    const saved = await save(file, detects);
    expect(await planRows(saved, 'issue', {}, later)).toEqual(await planRows(file, 'issue', {}, later));
  });
});
