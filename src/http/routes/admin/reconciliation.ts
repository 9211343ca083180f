import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { NoQuery } from '../../schemas/admin-requests.ts';

export const showReconciliation = adminRoute({
  operationId: 'getReconciliation',
  method: 'GET',
  path: '/admin/reconciliation',
  scope: 'admin',
  summary: 'What the last reconciliation found, as far as it has come',
  description: 'Each night the read model is compared with the passes, and those with the chain.',
  replies: { 200: { description: 'The newest run.', body: 'Reconciliation' } },
  query: NoQuery,
  async handle({ store }) {
    const run = await store.lastRun();
    if (run === undefined) return reply(200, '{"run":null}');
    const { started, finished = null, night, slices, counts } = run;
    return reply(200, JSON.stringify({ run: { started, finished, night, slices, counts } }));
  },
});
