import type { components } from './schema.ts';

/** The answers of the routes under `/admin`, as the OpenAPI document for operators describes them. */

type Schemas = components['schemas'];

export type SignerReport = Schemas['Signer'];
export type LaneReport = NonNullable<SignerReport['lanes']>[number];
export type ContractReport = NonNullable<SignerReport['contracts']>[number];
export type WatcherReport = Schemas['Watcher'];
export type Partner = Schemas['Partner'];
export type PartnerPage = Schemas['PartnerPage'];
export type StuckPass = Schemas['StuckPass'];
export type StuckPage = Schemas['StuckPasses'];
export type PassKey = StuckPass['pass'];
export type DeadLetter = Schemas['DeadLetter'];
export type DeadLetterPage = Schemas['DeadLetters'];
export type Redriven = Schemas['Redriven'];
export type OperatorWebhook = Schemas['OperatorWebhook'];
export type WebhookPage = Schemas['AllWebhooks'];
export type Reconciliation = Schemas['Reconciliation'];
export type Approval = Schemas['Approval'];
export type Explanation = Schemas['ExplainedPass'];
