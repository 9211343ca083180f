import type { components } from '../../../packages/client/src/schema.ts';

/** The records of the public API, as its OpenAPI document describes them. */

type Schemas = components['schemas'];

export type PassRecord = Schemas['PassRecord'];
export type PassEvent = Schemas['PassEvent'];
export type Chain = Schemas['Chain'];
export type FoundPasses = Schemas['FoundPasses'];
export type FoundPass = FoundPasses['records'][number];
export type Subject = Schemas['Subject'];
export type SubjectProgress = Schemas['SubjectProgress'];
export type Webhook = Schemas['Webhook'];
export type AuditEntry = Schemas['AuditEntry'];
export type NetworkUsage = Schemas['NetworkUsage'];
export type Usage = Schemas['Usage'];
