import { redriveDeadLetter, redriveDeadLetters } from '../../redrive-dead-letters.ts';
import { redrivePass, redriveStuck } from '../../redrive-passes.ts';
import { adminRoute, reply } from '../../route.ts';
import { Redriven } from '../../schemas/admin-replies.ts';
import { NoQuery, RedriveBody } from '../../schemas/admin-requests.ts';

export const redrive = adminRoute({
  operationId: 'redrive',
  method: 'POST',
  path: '/admin/redrive',
  scope: 'admin',
  summary: 'Try again at once: a pass, all that are stuck, or messages that were given up',
  description: 'Nothing is ever doubled by it. Up to 500 at a time.',
  replies: { 202: { description: 'How many are tried again.', body: Redriven } },
  refuses: ['not_found', 'unknown_network', 'invalid_wallet', 'pass_not_found'],
  query: NoQuery,
  body: RedriveBody,
  async handle({ body: { pass, all, olderThan, after, deadLetter }, config, env }) {
    const outcome =
      (pass && (await redrivePass(pass, config, env))) ??
      (all && (await redriveStuck({ olderThan, after }, env))) ??
      (deadLetter === undefined ? await redriveDeadLetters(env) : await redriveDeadLetter(deadLetter, env));
    return 'code' in outcome ? outcome : reply(202, JSON.stringify(outcome));
  },
});
