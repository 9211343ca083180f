import type { Run } from '../../../store/reconciliations.ts';
import { refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { AcceptBody, NoQuery } from '../../schemas/admin-requests.ts';

export const showReconciliation = adminRoute({
  operationId: 'getReconciliation',
  method: 'GET',
  path: '/admin/reconciliation',
  scope: 'admin',
  query: NoQuery,
  async handle({ store }) {
    const [run, rebuilds] = await Promise.all([store.lastRun(), store.findRebuilds()]);
    const held = run === undefined ? [] : await store.heldAbsences(run.run);
    return reply(200, JSON.stringify({ run: run === undefined ? null : toJson(run, held), rebuilds }));
  },
});

export const acceptReconciliation = adminRoute({
  operationId: 'acceptReconciliation',
  method: 'POST',
  path: '/admin/reconciliation',
  scope: 'admin',
  query: NoQuery,
  body: AcceptBody,
  async handle({ body: { accept }, store }) {
    const run = await store.lastRun();
    const isAccepted = run !== undefined && (await store.acceptAbsences(run.run, accept));
    return isAccepted
      ? reply(200, JSON.stringify({ accepted: accept }))
      : refuse('not_found', {
          detail: 'No losses are held there. GET /admin/reconciliation lists the losses that are held.',
        });
  },
});

function toJson({ started, finished, night, slices, counts }: Run, held: readonly object[]) {
  return { started, finished: finished ?? null, night, slices, counts, held };
}
