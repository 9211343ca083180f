/**
 * Prepares a bare `npx wrangler dev` before wrangler builds the Worker: `src/development/` imports the file that this writes, and
 * `wrangler deploy` imports nothing of it.
 */
import { spawn } from 'node:child_process';
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clone } from '../src/development/clone.ts';
import { ancestorsOf } from '../terminal/process-table.ts';
import { loadWrangler, PROJECT } from '../terminal/wrangler.ts';
import { SANDBOX_PARTNER } from './localnet/oauth/partners.ts';
import { seedStatements } from './localnet/partner/seed-partners.ts';

/** The port of `wrangler dev` in `wrangler.toml`. */
const PORT = 8787;

/** Writes the key of this clone if it has none, and all that its Worker needs. The files are only for the user's eyes. */
export async function prepareClone(folder = join(PROJECT, '.wrangler')): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const { key, secret } = readSecrets(join(folder, 'development-key.json'));
  const wrangler = await findWrangler();
  const clone: Clone = {
    key,
    client: { id: SANDBOX_PARTNER.clientId, secret },
    port: wrangler.port,
    migrations: readMigrations(join(folder, 'development-migrations.json')),
    rows: seedStatements([SANDBOX_PARTNER]),
  };
  replacePrivate(join(folder, 'development.txt'), JSON.stringify(clone));
  if (wrangler.isBare) printFirstPassLater(wrangler.pid);
}

type Secrets = Pick<Clone, 'key'> & { readonly secret: string };

/** Returns the key and the client secret of this clone. Two processes that create them at once get the same ones. */
function readSecrets(file: string): Secrets {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const key = { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', kid: randomBytes(8).toString('hex') };
  const secret = randomBytes(24).toString('hex');
  const own = `${file}-${process.pid}`;
  writeFileSync(own, JSON.stringify({ key, secret }), { mode: 0o600 });
  try {
    // Fails if the file exists by now, and shows no unfinished file.
    linkSync(own, file);
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') throw fault;
  } finally {
    rmSync(own);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Secrets;
}

/** Returns the queries of the migrations. Wrangler takes a second to load, so the file keeps what it made of them. */
function readMigrations(file: string): Clone['migrations'] {
  const folder = join(PROJECT, 'migrations');
  const texts = readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, sql: readFileSync(join(folder, name), 'utf8') }));
  const hash = createHash('sha256').update(JSON.stringify(texts)).digest('hex');
  const known = parseJson<{ hash: string; migrations: Clone['migrations'] }>(file);
  if (known?.hash === hash) return known.migrations;
  const { unstable_splitSqlQuery: split } = loadWrangler();
  const migrations = texts.map(({ name, sql }) => ({ name, queries: split(sql) }));
  replacePrivate(file, JSON.stringify({ hash, migrations }));
  return migrations;
}

function parseJson<Content>(file: string): Content | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Content;
  } catch {
    return undefined;
  }
}

/** Replaces a file as a whole, unless it has the content: wrangler builds the Worker again after a change. */
function replacePrivate(file: string, content: string): void {
  if (parseJson(file) !== undefined && readFileSync(file, 'utf8') === content) return;
  const own = `${file}-${process.pid}`;
  writeFileSync(own, content, { mode: 0o600 });
  renameSync(own, file);
}

interface Wrangler {
  /** 0 on a machine without `ps`. */
  readonly pid: number;
  readonly port: number;
  /** Whether it has the variables of `.dev.vars`, and so the Worker an issuer. */
  readonly isBare: boolean;
}

/** Returns the `wrangler dev` that runs this command. It tells its port to no command, so its own arguments must say it. */
async function findWrangler(): Promise<Wrangler> {
  const family = await ancestorsOf(process.pid);
  const own = family.find(({ command }) => /wrangler.*\sdev\b/.test(command));
  const ports = family.flatMap(({ command }) => /\sdev\b.*\s(?:--port|-p)[= ](\d+)/.exec(command)?.[1] ?? []);
  return {
    pid: own?.pid ?? 0,
    port: ports[0] === undefined ? PORT : Number(ports[0]),
    isBare: !/\s--env-file\b/.test(own?.command ?? ''),
  };
}

/**
 * Leaves a process behind that has the Worker print the lines to paste: wrangler prints a hundred lines between this command and the moment
 * when it is ready.
 */
function printFirstPassLater(wrangler: number): void {
  const program = join(import.meta.dirname, 'print-first-pass.ts');
  spawn(process.execPath, [program, String(wrangler)], { detached: true, stdio: 'ignore' }).unref();
}
