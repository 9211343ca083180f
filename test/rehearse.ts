import { expect, it, type TestOptions } from 'vitest';
import { type RunbookSection, sectionIn } from './runbook-section.ts';

/** Tests a section of the runbook. */
type Rehearse = (
  title: string,
  rule: string,
  follow: (section: RunbookSection) => Promise<void>,
  options?: TestOptions,
) => void;

/**
 * Returns the function that tests a section of a runbook. The rehearsal creates the situation and follows each of the section's commands
 * as the document shows it. It fails if it leaves one out.
 */
export const rehearseIn =
  (runbook: string): Rehearse =>
  (title, rule, follow, options = {}) =>
    it(`${title}: ${rule}`, options, async () => {
      const section = sectionIn(runbook, title);
      await follow(section);
      expect(section.left).toEqual([]);
    });
