import { annotate, EXAMPLE } from '../fields.ts';
import type { Operations } from '../operation.ts';
import { Usage, UsageOfAll } from '../schemas/usage.ts';

/** The usage, of one gatekeeper network and of all. */

const SUBJECTS = annotate('`true` counts the subjects too.', 'true');

export const usageOperations: Operations = {
  getUsage: {
    summary: 'Count the passes issued, renewed and revoked in a month, and the active ones',
    description:
      'Counts the confirmed transactions of your gatekeeper network by network. Each is an event of the feed with a transaction and without `byOthers`, and `pass.reorged` takes one back. Changes by others and tokens that the service found do not count. With `subjects`, it is a large read (20 in 10 seconds).',
    query: {
      month: annotate('The month (UTC). If absent, the current one.', '2026-11'),
      subjects: SUBJECTS,
    },
    replies: {
      200: { description: 'The usage of the month.', body: Usage, headers: ['Gatepass-Bookmark'] },
    },
    refuses: ['invalid_request'],
  },
  listUsage: {
    summary: 'Count the passes of all partners in a month',
    description:
      'Has the numbers of `GET /usage` for each gatekeeper network, with its partners. All numbers are there or none: if a database does not answer, the response is 503.',
    query: {
      month: annotate('The month (UTC). If absent, the current one.', '2026-11'),
      subjects: SUBJECTS,
      limit: annotate('The maximum number of gatekeeper networks in the response.', 100),
      after: annotate('Continues the list: the `next` of the previous response.', EXAMPLE.gatekeeperNetwork),
    },
    replies: {
      200: { description: 'A page of the usage.', body: UsageOfAll },
    },
  },
};
