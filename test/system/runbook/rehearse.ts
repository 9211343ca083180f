import { rehearseIn } from '../../rehearse.ts';
import { textOf } from '../../unit/documents/markdown.ts';

/** The document whose commands the rehearsals follow. */
export const runbook = textOf('docs/operators/runbook.md');

export const rehearse = rehearseIn(runbook);
