import type { Run } from '../../../store/reconciliations.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { NoQuery } from '../../schemas/admin-requests.ts';

export const showReconciliation = adminRoute({
  operationId: 'getReconciliation',
  method: 'GET',
  path: '/admin/reconciliation',
  scope: 'admin',
  summary: 'What the last reconciliation found, and how far rebuilds have come',
  description:
    'Each night the read model is compared with the passes, and those with the chain. A rebuild brings a restored database back to the state of the passes.',
  replies: { 200: { description: 'The newest run, and the newest rebuild of each shard.', body: 'Reconciliation' } },
  query: NoQuery,
  async handle({ store }) {
    const [run, rebuilds] = await Promise.all([store.lastRun(), store.findRebuilds()]);
    return reply(200, JSON.stringify({ run: run === undefined ? null : toJson(run), rebuilds }));
  },
});

function toJson({ started, finished, night, slices, counts }: Run) {
  return { started, finished: finished ?? null, night, slices, counts };
}
