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
  summary: 'Show what the last reconciliation found, and the progress of rebuilds',
  description:
    'Each night the read model is compared with the passes, and those with the chain. A rebuild brings a restored database back to the state of the passes.',
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
  summary: 'Accept that many passes of a gatekeeper network lost their token on a network',
  description:
    'If more than five passes, and more than 2 % of those compared, seem to have lost their token, a run changes nothing there. Check the contract address and the endpoints first. The run and the next one then adopt as many losses as were counted.',
  replies: { 200: { description: 'The next run adopts the changes.', body: 'AcceptedAbsences' } },
  refuses: ['not_found'],
  query: NoQuery,
  body: AcceptBody,
  async handle({ body: { accept }, store }) {
    const run = await store.lastRun();
    const isAccepted = run !== undefined && (await store.acceptAbsences(run.run, accept));
    return isAccepted
      ? reply(200, JSON.stringify({ accepted: accept }))
      : refuse('not_found', { detail: 'Nothing is held for that gatekeeper network on that network.' });
  },
});

function toJson({ started, finished, night, slices, counts }: Run, held: readonly object[]) {
  return { started, finished: finished ?? null, night, slices, counts, held };
}
