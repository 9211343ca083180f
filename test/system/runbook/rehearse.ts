import { expect, it, type TestOptions } from 'vitest';
import { type RunbookSection, sectionIn } from '../../runbook-section.ts';
import { textOf } from '../../unit/documents/markdown.ts';

/** The document whose commands the rehearsals follow. */
export const runbook = textOf('docs/operators/runbook.md');

/**
 * Tests a section of the runbook. The rehearsal creates the situation and follows each of the section's commands as the document shows it.
 * It fails if it leaves one out.
 */
export function rehearse(
  title: string,
  rule: string,
  follow: (section: RunbookSection) => Promise<void>,
  options: TestOptions = {},
): void {
  it(`${title}: ${rule}`, options, async () => {
    const section = sectionIn(runbook, title);
    await follow(section);
    expect(section.left).toEqual([]);
  });
}
