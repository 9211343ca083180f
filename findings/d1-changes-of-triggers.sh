#!/bin/sh
# Guess: `meta.changes` of D1 is the number of rows that the statement itself changed, as SQLite's changes() and the drivers better-sqlite3 and
# node:sqlite count them. An UPDATE of one row by its key has 1, with or without triggers.
# Seen with miniflare 5.20261023.2-beta (workerd 1.20261023.1): rows that triggers and foreign keys change count too, so an UPDATE of one row with
# a trigger that writes two rows has 3, and a DELETE of one row whose two children go with it has 3. `SELECT changes()` afterwards is 1.
# It matters because `meta.changes === 1` is the usual test of a compare-and-set. It becomes false for every success on the day a migration adds
# a trigger. `RETURNING` counts the rows of the statement alone.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund miniflare@5.20261023.2-beta
cat >worker.mjs <<'JS'
const SCHEMA = [
  'CREATE TABLE passes (id INTEGER PRIMARY KEY, version INTEGER)',
  'CREATE TABLE notes (pass INTEGER REFERENCES passes (id) ON DELETE CASCADE)',
  'CREATE TABLE history (pass INTEGER, version INTEGER)',
  'INSERT INTO passes VALUES (1, 1)',
  'INSERT INTO notes VALUES (1), (1)',
];
const TRIGGER = `CREATE TRIGGER passes_history AFTER UPDATE ON passes
  BEGIN INSERT INTO history VALUES (old.id, old.version), (new.id, new.version); END`;

export default {
  async fetch(_, { D1 }) {
    const lines = [];
    async function report(name, statement) {
      const { meta, results } = await D1.prepare(`${statement} RETURNING id`).run();
      const changes = await D1.prepare('SELECT changes() AS changes').first('changes');
      lines.push(`${name}: meta.changes ${meta.changes}, changes() ${changes}, RETURNING ${results.length} row\n`);
    }
    await D1.batch(SCHEMA.map((statement) => D1.prepare(statement)));
    await report('update', 'UPDATE passes SET version = 2 WHERE id = 1 AND version = 1');
    await D1.prepare(TRIGGER).run();
    await report('update with a trigger', 'UPDATE passes SET version = 3 WHERE id = 1 AND version = 2');
    await report('delete with two children', 'DELETE FROM passes WHERE id = 1');
    return new Response(lines.join(''));
  },
};
JS
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';

const options = convertV4MiniflareOptions({
  modules: true,
  script: readFileSync('worker.mjs', 'utf8'),
  compatibilityDate: '2026-08-15',
  d1Databases: ['D1'],
  cf: false,
  log: new Log(LogLevel.NONE),
  handleStructuredLogs: () => {},
});
const miniflare = new Miniflare({ ...options, telemetry: { enabled: false } });
const answer = await miniflare.dispatchFetch('http://worker/');
process.stdout.write(await answer.text());
await miniflare.dispose();
JS
node run.mjs | tee seen
cat >expected <<'END'
update: meta.changes 1, changes() 1, RETURNING 1 row
update with a trigger: meta.changes 3, changes() 1, RETURNING 1 row
delete with two children: meta.changes 3, changes() 1, RETURNING 1 row
END
diff expected seen
