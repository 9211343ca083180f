import { eq } from 'drizzle-orm';
import { createMiddleware } from 'hono/factory';
import { HTTPException } from 'hono/http-exception';
import { jwk } from 'hono/jwk';
import type { HonoJsonWebKey } from 'hono/utils/jwt/jws';
import type { App } from './environment.ts';
import { partners } from './schema.ts';

let keys: { readonly set: Promise<HonoJsonWebKey[]>; readonly fetchedAt: number } | undefined;

/** With `jwks_uri`, the middleware would fetch the keys for each request. */
function cachedKeys(url: string): Promise<HonoJsonWebKey[]> {
  if (keys === undefined || Date.now() - keys.fetchedAt > 300_000) {
    const set = fetch(url)
      .then((response) => response.json<{ keys: HonoJsonWebKey[] }>())
      .then((body) => body.keys);
    keys = { set, fetchedAt: Date.now() };
  }
  return keys.set;
}

export const authenticate = createMiddleware<App>((c, next) =>
  jwk({
    keys: () => cachedKeys(c.env.JWKS_URL),
    alg: ['RS256'],
    verification: { iss: c.env.TOKEN_ISSUER, aud: c.env.TOKEN_AUDIENCE, typ: ['JWT', 'at+jwt'] },
  })(c, next),
);

/** Returns the partner of a token with the scope. */
export const requireScope = (scope: string) =>
  createMiddleware<App>(async (c, next) => {
    const { client_id: clientId, scope: scopes } = c.get('jwtPayload');
    if (!scopes.split(' ').includes(scope)) throw new HTTPException(403, { message: 'insufficient scope' });
    const partner = await c.get('db').query.partners.findFirst({ where: eq(partners.clientId, clientId) });
    if (partner?.status !== 'active') throw new HTTPException(403, { message: 'unknown client' });
    c.set('partner', partner);
    await next();
  });
