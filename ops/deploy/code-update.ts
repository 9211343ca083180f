/**
 * The longest time for which Cloudflare leaves a running object its old code, variables and secrets after a change: the default `deferred`
 * of wrangler since 4.141.0, read in wrangler 4.155.0 on 2026-11-28. A deployment and a rollback restart the objects at once, because
 * their configuration says so. Whether a change of a secret alone does is not documented, so it counts with this time. If the platform
 * takes longer, signers still obey an emergency, and a restore would begin too early.
 */
export const CODE_UPDATE_MAX_MS = 300_000;

/** How a deployment and a rollback update running objects: by a restart, as the table `durable_objects` of wrangler names it. */
export const CODE_UPDATE_STRATEGY = { mode: 'immediate' } as const;
