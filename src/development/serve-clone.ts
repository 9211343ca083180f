import { env as variables } from 'cloudflare:workers';
import { isAtLoopback, mayBeRebound } from './callers.ts';
import { CLONE } from './clone.ts';
import { firstPassLines } from './first-pass.ts';
import { answerAsIssuer, KEYS_PATH, keySetOf, TOKEN_PATH } from './issuer.ts';
import { createTables } from './tables.ts';

/**
 * The Worker of a bare `npx wrangler dev`: it creates its tables, and has an issuer of its own. `wrangler deploy` bundles nothing of this
 * folder (`src/worker.ts`), and the Workers of `npm run dev` have other variables.
 */

type Serve = (request: Request, env: Env) => Promise<Response>;

/** Whether the variables are those of `.dev.vars`. */
const isClone = ({ DEPLOYMENT, JWKS_URL }: Env) => DEPLOYMENT === 'local' && JWKS_URL.endsWith(KEYS_PATH);

if (isClone(variables as Env)) console.log(firstPassLines(CLONE));

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
