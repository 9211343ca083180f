import { NoQuery, RedriveBody } from '../../admin-schemas.ts';
import { redriveLetter, redriveLetters } from '../../redrive-letters.ts';
import { redrivePass, redriveStuck } from '../../redrive-passes.ts';
import { adminRoute, reply } from '../../route.ts';

export const redrive = adminRoute({
  method: 'POST',
  path: '/admin/redrive',
  scope: 'admin',
  summary: 'Try again at once: a pass, all that are stuck, or messages that were given up',
  query: NoQuery,
  body: RedriveBody,
  async handle({ body: { pass, all, olderThan, after, deadLetter }, config, env }) {
    const outcome =
      (pass && (await redrivePass(pass, config, env))) ??
      (all && (await redriveStuck({ olderThan, after }, env))) ??
      (deadLetter === undefined ? await redriveLetters(env) : await redriveLetter(deadLetter, env));
    return 'code' in outcome ? outcome : reply(202, JSON.stringify(outcome));
  },
});
