import type { components, operations } from './schema.ts';

type Schemas = components['schemas'];

/** An entry of the audit trail: the actor of a change, its target, its time and its reason. Later releases may add fields and actions. */
export type AuditEntry = Schemas['AuditEntry'];
/** A page of the trail. `next` is the cursor of the next page. With a filter, a page may be empty although `more` is true. */
export type AuditPage = Schemas['AuditPage'];

/** The entries to read: of a pass (its id, or `chain/network/wallet`), a client, an action, or a time. Default: all, oldest first. */
export type AuditQuery = NonNullable<operations['listAudit']['parameters']['query']>;
