#!/bin/sh
# Guess: a parameter `true` becomes the integer 1 in both SQLite interfaces of Cloudflare Workers, D1 and `sql.exec` of a Durable Object. D1
# documents this conversion, and SQLite has no booleans.
# Seen with miniflare 5.20261023.2-beta (workerd 1.20261023.1): D1 stores 1 and 0, `sql.exec` the texts 'true' and 'false', even in a column
# INTEGER. In the object, `flag` and `flag = 1` find no row, and `NOT flag` finds the row with `true` too, because either text counts as 0.
# Nothing throws.
# It matters because the same statement with the same parameters means something else in an object than in D1, and a condition such as
# `NOT revoked` turns around without an error. `Number(flag)` as the parameter works in both.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund miniflare@5.20261023.2-beta
cat >worker.mjs <<'JS'
import { DurableObject } from 'cloudflare:workers';

const CREATE = 'CREATE TABLE flags (flag INTEGER)';
const INSERT = 'INSERT INTO flags VALUES (?), (?)';
const STORED = 'SELECT flag, typeof(flag) AS type FROM flags';
const CONDITIONS = ['flag', 'flag = 1', 'NOT flag'];
const count = (condition) => `SELECT count(*) AS rows FROM flags WHERE ${condition}`;

export class Flags extends DurableObject {
  query(statement, ...parameters) {
    return this.ctx.storage.sql.exec(statement, ...parameters).toArray();
  }
}

async function report(name, query) {
  await query(CREATE);
  await query(INSERT, true, false);
  const stored = (await query(STORED)).map(({ flag, type }) => `${type} ${flag}`);
  const counts = [];
  for (const condition of CONDITIONS) {
    const [{ rows }] = await query(count(condition));
    counts.push(`${condition}: ${rows}`);
  }
  return `${name} stores ${stored.join(' and ')}; rows with ${counts.join(', ')}\n`;
}

export default {
  async fetch(_, { D1, FLAGS }) {
    const object = FLAGS.getByName('flags');
    const inD1 = await report('D1', async (statement, ...parameters) => {
      return (await D1.prepare(statement).bind(...parameters).all()).results;
    });
    const inObject = await report('sql.exec', (...query) => object.query(...query));
    return new Response(inD1 + inObject);
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
  durableObjects: { FLAGS: { className: 'Flags', useSQLite: true } },
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
D1 stores integer 1 and integer 0; rows with flag: 1, flag = 1: 1, NOT flag: 1
sql.exec stores text true and text false; rows with flag: 0, flag = 1: 0, NOT flag: 2
END
diff expected seen
