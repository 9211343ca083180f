import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { type Pass, stateOf } from '../../../src/pass/pass.ts';
import { type Publication, publishPasses } from '../../../src/store/passes.ts';
import type { Scene } from './scene.ts';

/** The usage after a story, whose publications arrive repeatedly and in a wrong order, against a count over the events. */

const { DB } = env as Env;
/** Maximum number of publications that arrive before the last one. */
const EARLIER_MAX = 6;

export async function expectUsage({ pass, publications, renewals }: Scene): Promise<void> {
  if (pass === undefined) return;
  await DB.batch(['usage', 'passes', 'events', 'feeds'].map((table) => DB.prepare(`DELETE FROM ${table}`)));
  for (const batch of arrivalsOf(publications)) await publishPasses(DB, batch);
  const { results } = await DB.prepare(
    `SELECT sum(issued) AS issued, sum(renewed) AS renewed, sum(revoked) AS revoked, sum(active) AS active FROM usage`,
  ).all();
  const [usage] = results;
  expect({ issued: usage?.issued ?? 0, renewed: usage?.renewed ?? 0, revoked: usage?.revoked ?? 0 }).toEqual({
    issued: countOf(pass, 'TOKEN_ISSUED'),
    renewed: renewals,
    revoked: countOf(pass, 'TOKEN_REVOKED'),
  });
  expect(usage?.active ?? 0).toBe(Number(stateOf(pass) === 'ACTIVE'));
}

/** Some publications, in pairs that are newest first and partly repeated, and at last the newest one twice. */
function arrivalsOf(publications: readonly Publication[]): Publication[][] {
  const distance = Math.ceil(publications.length / EARLIER_MAX);
  const some = publications.filter((_, index) => index % distance === 0);
  const last = publications.slice(-1);
  return [...some.map((each, index) => [each, ...some.slice(Math.max(0, index - 1), index)]), last, last];
}

/** Returns the changes with a transaction of the service, less the ones that a reorg took back. */
function countOf({ events }: Pass, change: 'TOKEN_ISSUED' | 'TOKEN_REVOKED'): number {
  const made = events.filter(({ eventType, transaction }) => eventType === change && transaction !== undefined);
  const reorged = events.filter(({ eventType }) => eventType === `${change}_REORGED`);
  return made.length - reorged.length;
}
