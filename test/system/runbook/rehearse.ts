import { rehearseIn } from '../../rehearse.ts';
import { DOCUMENTS, textOf } from '../../unit/documents/markdown.ts';

/** The pages whose commands the rehearsals follow. */
export const runbook: readonly string[] = DOCUMENTS.filter((file) => file.startsWith('docs/operators/runbook/')).map(
  textOf,
);

export const rehearse = rehearseIn(runbook);
