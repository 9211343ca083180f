import type { Route } from '../../src/http/route.ts';
import type { Operation, Operations } from './operation.ts';
import { auditOperations } from './operations/audit.ts';
import { eventOperations } from './operations/events.ts';
import { operatorOperations } from './operations/operator.ts';
import { partnerOperations } from './operations/partners.ts';
import { passOperations } from './operations/passes.ts';
import { publicOperations } from './operations/public.ts';
import { revocationOperations } from './operations/revocations.ts';
import { sandboxOperations } from './operations/sandbox.ts';
import { subjectOperations } from './operations/subjects.ts';
import { usageOperations } from './operations/usage.ts';
import { webhookOperations } from './operations/webhooks.ts';

/** All operations of the document. */
export const OPERATIONS: Operations = {
  ...publicOperations,
  ...passOperations,
  ...subjectOperations,
  ...eventOperations,
  ...usageOperations,
  ...webhookOperations,
  ...auditOperations,
  ...sandboxOperations,
  ...operatorOperations,
  ...partnerOperations,
  ...revocationOperations,
};

/** Returns the operation of a route; undefined for a route that the document omits, because it is for people with a browser. */
export function operationOf({ operationId }: Pick<Route, 'operationId'>): Operation | undefined {
  return OPERATIONS[operationId];
}
