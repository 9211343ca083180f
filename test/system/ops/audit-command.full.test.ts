import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, inject, it } from 'vitest';
import { openAdminApi } from '../../../ops/admin-api.ts';
import { runAuditCommand } from '../../../ops/audit.ts';
import { storageFolderOf } from '../../../terminal/wrangler.ts';
import { type Gatepass, startGatepass } from '../../../tools/localnet/gatepass.ts';
import { openPreparedState } from '../prepared-state.ts';
import { runCommand } from './run-command.ts';

/** `npm run audit` with the trail of a running service, and with one whose storage somebody has changed. */

const state = openPreparedState(inject('preparedState'));
const file = (name: string) => join(state.folder, name);
let gatepass: Gatepass | undefined;
afterAll(async () => {
  await gatepass?.stop();
  state.close();
});

async function start(): Promise<Gatepass['facts']> {
  gatepass = await startGatepass({ folder: state.folder, hasDatabase: true, config: inject('builtWorker') });
  writeFileSync(file('localnet.json'), JSON.stringify(gatepass.facts));
  return gatepass.facts;
}

const audit = (...args: string[]) => runCommand(runAuditCommand, args);
const ofService = ['--local', '--localnet', file('localnet.json')];

/** Writes to the trail of the operator as somebody who has its file. */
function tamper(sql: string): void {
  const trails = globSync(join(storageFolderOf(state.folder), '**', '*.sqlite')).map((path) => new DatabaseSync(path));
  const changes = trails.map((db) => {
    const [table] = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'audit_entry'").all();
    const changed = table === undefined ? 0 : Number(db.prepare(sql).run().changes);
    db.close();
    return changed;
  });
  expect(changes.filter((changed) => changed > 0)).toEqual([1]);
}

it('verifies and exports a trail, and finds an entry that was changed in the file or in the storage', async () => {
  const { baseUrl, tokenUrl, operator } = await start();
  const call = openAdminApi(baseUrl, { tokenUrl, ...operator });
  const reasons = ['case 4711', 'invisible\u200b\u{e0041}', '</script>"\u{1f512}'];
  for (const reason of reasons)
    await call('POST', '/admin/audit', { command: 'restore', environment: 'local', reason });
  const verified = await audit('verify', ...ofService);
  expect(verified.code, verified.printed).toBe(0);
  expect(verified.printed).toMatch(/^operator: \d+ entries, each follows the one before it\n$/);

  expect(await audit('export', ...ofService, '--out', file('trail.jsonl'))).toMatchObject({ code: 0 });
  expect(await audit('verify', '--file', file('trail.jsonl'))).toMatchObject({ code: 0 });
  const exported = readFileSync(file('trail.jsonl'), 'utf8');
  const entries = exported.trimEnd().split('\n');
  expect(entries.map((line) => JSON.parse(line).reason).slice(-3)).toEqual(reasons);
  const { sequence, hash } = JSON.parse(entries.at(-1) ?? '');
  expect(await audit('verify', ...ofService, '--head', `${sequence}:${hash}`)).toMatchObject({ code: 0 });
  writeFileSync(file('changed.jsonl'), exported.replace('case 4711', 'case 4712'));
  expect(await audit('verify', '--file', file('changed.jsonl'))).toMatchObject({
    code: 1,
    printed: expect.stringContaining('was changed'),
  });

  await gatepass?.stop();
  tamper(`UPDATE audit_entry SET text = replace(text, 'case 4711', 'case 4712') WHERE text LIKE '%case 4711%'`);
  await start();
  const found = await audit('verify', ...ofService);
  expect(found.code).toBe(1);
  expect(found.printed).toMatch(/^entry \d+ was changed: its hash is not that of its text\n/);
}, 120_000);
