import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, describe, expect, it } from 'vitest';
import { formatTokens, HEADER } from '../../../../ops/takeover/token-rows.ts';
import type { Plan } from '../../../../packages/cli/src/csv/plan-rows.ts';
import { type Owner, openResultFile } from '../../../../packages/cli/src/run/result-file.ts';
import { runCli, variablesAt } from './run-cli.ts';

/** No cell of a CSV file that a command writes is a formula for a spreadsheet. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-formulas-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FORMULAS = ['=1+2', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1+2'];
const cellsIn = (file: string): string[][] => parse(readFileSync(file), { relaxColumnCount: true });
const isFormula = (cell: string) => /^[=+\-@\t\r＝＋－＠]/.test(cell.trim());

const PASSES = ['sepolia/0xa', 'sepolia/0xb', 'sepolia/0xc'];
const plan: Plan = {
  passes: new Map(PASSES.map((name) => [name, undefined])),
  names: { reference: new Map(), subject: new Map() },
  skipped: new Map(),
  ignoredColumns: [],
  faults: [],
  faultCount: 0,
};
const RESUME = { all: false, failed: false, accepted: true };
let files = 0;
const newFile = () => {
  files += 1;
  return join(folder, `${files}.results.csv`);
};

describe('a result file', () => {
  it.each(FORMULAS)('escapes %j in every field, and continues the run of its client', async (formula) => {
    const path = newFile();
    const owner: Owner = { service: 'https://passes.example', client: formula };
    const [first = '', second = ''] = PASSES;
    const begun = await openResultFile(path, plan, owner, RESUME);
    begun.append([
      { name: first, expiry: undefined, outcome: 'failed', detail: formula, pass: formula, transaction: formula },
    ]);
    for (let run = 0; run < 3; run += 1) {
      const continued = await openResultFile(path, plan, owner, RESUME);
      expect([...continued.earlier.keys()]).toEqual([first]);
      // Another run repeats this one, so it rewrites the file.
      continued.append([{ name: second, expiry: 5, outcome: 'accepted', pass: 'a' }]);
      expect(cellsIn(path).flat().filter(isFormula)).toEqual([]);
    }
    const repeated = await openResultFile(path, plan, owner, { ...RESUME, failed: true });
    expect([...repeated.earlier.keys()]).toEqual([]);
    const [, row = []] = cellsIn(path);
    expect(row).toEqual([]);
  });

  it('of a client whose id begins like an escaped formula belongs to that client', async () => {
    const path = newFile();
    const owner: Owner = { service: 'https://passes.example', client: "'=1" };
    const [first = ''] = PASSES;
    (await openResultFile(path, plan, owner, RESUME)).append([{ name: first, expiry: undefined, outcome: 'settled' }]);
    expect((await openResultFile(path, plan, owner, RESUME)).earlier.size).toBe(1);
    await expect(openResultFile(path, plan, { ...owner, client: '=2' }, RESUME)).rejects.toThrow('has results of');
  });

  it('that an earlier version has begun, without subjects, continues', async () => {
    const owner: Owner = { service: 'https://passes.example', client: 'acme' };
    const path = newFile();
    const head =
      'chain,network,walletAddress,expiryTimestamp,reference,outcome,detail,pass,transaction,at,service,client';
    const rows = ['0xa,,order-1', '0xb,,'].map(
      (cells) => `ethereum,sepolia,${cells},settled,,id,0x1,2026-11-20T11:03:45.123Z,https://passes.example,acme`,
    );
    writeFileSync(path, [head, ...rows, ''].join('\n'));
    const names = { reference: new Map([['sepolia/0xa', 'order-1']]), subject: new Map([['sepolia/0xb', 'p-1']]) };
    // The earlier version has issued the second pass without its subject.
    const file = await openResultFile(path, { ...plan, names }, owner, RESUME);
    expect([...file.earlier.keys()]).toEqual(['sepolia/0xa']);
    file.append([{ name: 'sepolia/0xb', expiry: undefined, outcome: 'settled' }]);
    const [header = [], ...written] = cellsIn(path);
    const at = header.indexOf('subject');
    expect(written.map((cells) => [cells[2], cells[at], cells.length])).toEqual([
      ['0xa', '', header.length],
      ['0xb', 'p-1', header.length],
    ]);
    expect((await openResultFile(path, { ...plan, names }, owner, RESUME)).earlier.size).toBe(2);
  });

  it('is read only as the command writes it, because it appends to the file', async () => {
    const owner: Owner = { service: 'https://passes.example', client: 'acme' };
    const path = newFile();
    await openResultFile(path, plan, owner, RESUME);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll(',', ';'));
    await expect(openResultFile(path, plan, owner, RESUME)).rejects.toThrow('is not a result file');
  });
});

it('the file of a scan escapes formulas', () => {
  const network = { chain: 'ethereum', network: 'sepolia' } as never;
  const tokens = FORMULAS.map((formula) => ({
    network,
    wallet: formula,
    state: 'ACTIVE',
    expiry: undefined,
    issuer: formula,
    token: formula,
    block: 1,
  }));
  const cells: string[][] = parse(`${HEADER}${formatTokens(tokens as never)}`, {});
  expect(cells).toHaveLength(FORMULAS.length + 1);
  expect(cells.flat().filter(isFormula)).toEqual([]);
});

it('search --csv escapes what the service answers', async () => {
  const records = FORMULAS.map((formula, index) => ({
    id: `${formula}${index}`,
    chain: { type: formula, network: formula },
    walletAddress: formula,
    state: formula,
    onChainState: formula,
    events: [],
  }));
  const server = createServer((request, response) => {
    const body = request.url === '/token' ? { access_token: 'a', token_type: 'bearer' } : { records };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const file = join(folder, 'found.csv');
  try {
    const ran = await runCli(['search', '--csv', file], variablesAt((server.address() as AddressInfo).port));
    expect(ran).toMatchObject({ code: 0, stderr: `${FORMULAS.length} passes in ${file}\n` });
    expect(cellsIn(file)).toHaveLength(FORMULAS.length + 1);
    expect(cellsIn(file).flat().filter(isFormula)).toEqual([]);
  } finally {
    server.close();
  }
});
