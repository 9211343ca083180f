import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { runProgram } from '../run-program.ts';

/**
 * The files of the operator's commands on a full disk. A limit of the size of files has the same effect: a write succeeds in part,
 * and only the next one fails.
 */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-full-'));
afterAll(() => rmSync(folder, { recursive: true }));
const SIZE_LIMIT_BYTES = 1024;

/** Runs a module that may write at most `SIZE_LIMIT_BYTES` to a file, and returns what it prints. */
async function onFullDisk(module: string): Promise<string> {
  const limited = 'trap "" XFSZ; ulimit -f 1; exec "$0" --no-warnings --input-type=module -e "$1" | cat';
  const { stdout, stderr } = await runProgram(['bash', '--norc', '-c', limited, process.execPath, module], {});
  return stdout + stderr;
}

const pathOf = (file: string) => JSON.stringify(join(PROJECT, 'ops', file));

it('the rows of a scan are written whole, or the scan fails', async () => {
  const file = join(folder, 'tokens.csv');
  const printed = await onFullDisk(`
    const { openRows } = await import(${pathOf('takeover/row-file.ts')});
    const rows = await openRows(${JSON.stringify(file)}, 0);
    await rows.append('x'.repeat(${SIZE_LIMIT_BYTES + 500})).then(() => console.log('written'), ({ message }) => console.log(message));
  `);
  expect(printed).toBe(`${file} cannot be written (EFBIG): make room, then run the same command again\n`);
});

it('the file of transactions keeps its content', async () => {
  const file = join(folder, 'transactions.json');
  const printed = await onFullDisk(`
    const { TransactionsFile } = await import(${pathOf('network/transactions-file.ts')});
    const file = await TransactionsFile.open(${JSON.stringify(file)});
    const add = (identifier, bytes) =>
      file.add({ identifier, bytes, network: 'devnet', subject: 'k', account: 'a', change: 'c' });
    await add('first', 'b');
    await add('second', 'b'.repeat(${SIZE_LIMIT_BYTES})).then(() => console.log('written'), ({ message }) => console.log(message));
  `);
  expect(printed).toBe(`--state: ${file} cannot be written (EFBIG)\n`);
  expect(JSON.parse(readFileSync(file, 'utf8')).transactions).toMatchObject([{ identifier: 'first' }]);
});
