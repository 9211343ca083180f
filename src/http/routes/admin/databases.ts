import type { Backend } from '../../../operations/backend.ts';
import { rebuildSlice } from '../../../operations/rebuild-shard.ts';
import type { Run } from '../../../store/reconciliations.ts';
import { type FieldError, refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { AcceptBody, RebuildBody } from '../../schemas/admin-requests.ts';
import { withSecondPerson } from './second-person.ts';

const getReconciliation = adminRoute({
  operationId: 'getReconciliation',
  method: 'GET',
  path: '/admin/reconciliation',
  right: 'read',
  async handle({ store }) {
    const [run, rebuilds] = await Promise.all([store.lastRun(), store.findRebuilds()]);
    const held = run === undefined ? [] : await store.heldAbsences(run.run);
    return reply(200, JSON.stringify({ run: run === undefined ? null : toJson(run, held), rebuilds }));
  },
});

const acceptReconciliation = adminRoute({
  operationId: 'acceptReconciliation',
  method: 'POST',
  path: '/admin/reconciliation',
  right: 'act',
  action: 'operator.accept_losses',
  body: AcceptBody,
  async handle({ body, store, ...rest }) {
    const { accept } = body;
    const run = (await store.lastRun())?.run ?? 0;
    const absent = async () => {
      const held = await store.heldAbsences(run);
      return held.find(
        ({ gatekeeperNetwork, network }) =>
          gatekeeperNetwork === accept.gatekeeperNetwork && network === accept.network,
      )?.absent;
    };
    return withSecondPerson(
      { body, ...rest },
      {
        kind: 'accept_losses',
        slice: Number.MAX_SAFE_INTEGER,
        count: async () => (await absent()) ?? NOT_HELD,
        async run() {
          if (!(await store.acceptAbsences(run, accept))) return NOT_HELD;
          return { done: 0, hasMore: false, reply: reply(200, JSON.stringify({ accepted: accept })) };
        },
      },
    );
  },
});

const NOT_HELD = refuse('not_found', {
  detail: 'No losses are held there. GET /admin/reconciliation lists the losses that are held.',
});

function toJson({ started, finished, night, slices, counts }: Run, held: readonly object[]) {
  return { started, finished: finished ?? null, night, slices, counts, held };
}

const rebuild = adminRoute({
  operationId: 'rebuild',
  method: 'POST',
  path: '/admin/rebuild',
  right: 'act',
  action: 'operator.rebuild',
  body: RebuildBody,
  async handle({ body, ...backend }) {
    const errors = errorsIn(body, backend);
    if (errors.length > 0) return refuse('invalid_request', { errors });
    return reply(200, JSON.stringify(await rebuildSlice(body, backend)));
  },
});

function errorsIn({ shard, objects }: RebuildBody, { store, isPassObjectId }: Backend): FieldError[] {
  const detail = 'must be the id of a pass object of this service';
  return [
    ...(store.hasShard(shard) ? [] : [{ pointer: '/shard', detail: 'must be the binding name of a database' }]),
    ...objects.flatMap((id, index) => (isPassObjectId(id) ? [] : [{ pointer: `/objects/${index}`, detail }])),
  ];
}

export const databaseRoutes = [getReconciliation, rebuild, acceptReconciliation];
