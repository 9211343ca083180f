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
  summary: 'Show the result of the last reconciliation, and the progress of rebuilds',
  description:
    'Each night the service compares the read model with the pass objects, and the pass objects with the chain. A rebuild brings a restored database back to the state of the pass objects.',
  replies: { 200: { description: 'The newest run, and the newest rebuild of each shard.', body: 'Reconciliation' } },
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
  summary: 'Accept that many passes of a gatekeeper network have lost their token on a network',
  description:
    'If more than five passes, and more than 2 % of those compared, seem to have lost their token, a run changes nothing there. Check the contract address and the endpoints first. After the request, this run and the next one adopt as many losses as were counted.',
  replies: { 200: { description: 'The losses are accepted.', body: 'AcceptedAbsences' } },
  refuses: ['not_found'],
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
