import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type * as schema from './schema.ts';

/** The context of each request. */
export interface App {
  readonly Bindings: {
    readonly TOKEN_ISSUER: string;
    readonly TOKEN_AUDIENCE: string;
    readonly JWKS_URL: string;
    readonly DB: D1Database;
    readonly ISSUANCES: Queue<{ passId: string }>;
  };
  readonly Variables: {
    db: DrizzleD1Database<typeof schema>;
    jwtPayload: { client_id: string; scope: string };
    partner: typeof schema.partners.$inferSelect;
  };
}
