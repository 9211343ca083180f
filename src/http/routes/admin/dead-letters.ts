import { formatCursor } from '../../../lib/cursor.ts';
import type { DeadLetter } from '../../../store/dead-letters.ts';
import { reply } from '../../protocol/reply.ts';
import { adminRoute } from '../../route.ts';
import { PageQuery } from '../../schemas/admin-requests.ts';

export const showDeadLetters = adminRoute({
  operationId: 'listDeadLetters',
  method: 'GET',
  path: '/admin/dead-letters',
  scope: 'admin',
  query: PageQuery,
  async handle({ query: { limit, after }, store }) {
    const letters = await store.findDeadLetters({ limit, after });
    const last = letters.length === limit ? letters.at(-1) : undefined;
    return reply(200, JSON.stringify({ deadLetters: letters.map(toJson), next: last ? formatCursor(last) : null }));
  },
});

/** Returns the letter with its body as it was sent. The body is null if it was too large to keep; it cannot be sent again. */
function toJson({ id, at, reason, body }: DeadLetter) {
  return { id, at, reason, body: body === undefined ? null : JSON.parse(body) };
}
