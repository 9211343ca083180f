import { isAtLoopback, mayBeRebound } from './callers.ts';
import { CLONE, type Clone, type Migration } from './clone.ts';
import { answerAsIssuer, KEYS_PATH, keySetOf, TOKEN_PATH } from './issuer.ts';

/**
 * The Worker of a bare `npx wrangler dev`: it creates its tables, and has an issuer of its own. `wrangler deploy` bundles nothing of this
 * folder (`src/worker.ts`), and the Workers of `npm run dev` have other variables.
 */

type Serve = (request: Request, env: Env) => Promise<Response>;

/** Whether the variables are those of `.dev.vars`. */
const isClone = ({ DEPLOYMENT, JWKS_URL }: Env) => DEPLOYMENT === 'local' && (JWKS_URL ?? '').endsWith(KEYS_PATH);

/** Returns the server of the clone, which serves everything else as `serve` does. */
export function serveClone(serve: Serve): Serve {
  let prepared: Promise<Env> | undefined;
  return async (request, env) => {
    if (!isClone(env)) return serve(request, env);
    // Elsewhere there may be a database that is not this clone's.
    if (!isAtLoopback(request) || mayBeRebound(request))
      return Response.json({ error: 'access_denied' }, { status: 403 });
    const answer = await answerAsIssuer(request, CLONE, env);
    if (answer !== undefined) return answer;
    prepared ??= prepare(env).catch((fault) => {
      prepared = undefined;
      throw fault;
    });
    return serve(request, await prepared);
  };
}

/** Creates the tables, and returns the variables with the issuer's key and its address. */
async function prepare(env: Env): Promise<Env> {
  await createTables(env.DB, CLONE);
  const keys = encodeURIComponent(JSON.stringify(keySetOf(CLONE)));
  const TOKEN_URL = `http://localhost:${CLONE.port}${TOKEN_PATH}`;
  return { ...env, TOKEN_URL, JWKS_URL: `data:application/json,${keys}` };
}

const APPLIED_TABLE =
  'CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, ' +
  'applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)';

/**
 * Applies the migrations that the local database lacks, as `wrangler d1 migrations apply` does, and adds the rows of the clone. Each
 * migration and its mark are one commit. Another `wrangler dev` on the same state may do the same at the same time: then one of
 * the two fails, and finds the mark at its next try.
 */
async function createTables(db: D1Database, { migrations, rows }: Clone): Promise<void> {
  await db.prepare(APPLIED_TABLE).run();
  for (const migration of migrations) {
    if (!(await isApplied(db, migration))) await apply(db, migration);
  }
  if (rows.length > 0) await db.batch(rows.map((row) => db.prepare(row)));
}

async function isApplied(db: D1Database, { name }: Migration): Promise<boolean> {
  return (await db.prepare('SELECT 1 FROM d1_migrations WHERE name = ?').bind(name).first()) !== null;
}

async function apply(db: D1Database, migration: Migration): Promise<void> {
  const mark = db.prepare('INSERT INTO d1_migrations (name) VALUES (?)').bind(migration.name);
  try {
    await db.batch([...migration.queries.map((query) => db.prepare(query)), mark]);
  } catch (fault) {
    if (!(await isApplied(db, migration))) throw fault;
  }
}
