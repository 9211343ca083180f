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
  summary: 'Bring a restored or emptied database back to the state of the pass objects',
  description:
    'Writes the rows of up to 200 pass objects, if the passes belong to the shard. `npm run rebuild` lists all objects and sends them in slices. A slice may be sent twice, or at the same time as others: a newer row always stays.',
  replies: { 200: { description: 'The result of the slice.', body: 'Rebuilt' } },
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
