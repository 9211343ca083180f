import type { Backend } from '../../../operations/backend.ts';
import { rebuildSlice } from '../../../operations/rebuild-shard.ts';
import { type FieldError, refuse } from '../../protocol/problem.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { NoQuery, RebuildBody } from '../../schemas/admin-requests.ts';

export const rebuild = adminRoute({
  operationId: 'rebuild',
  method: 'POST',
  path: '/admin/rebuild',
  scope: 'admin',
  query: NoQuery,
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
