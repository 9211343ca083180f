import { expect, it, type TestOptions } from 'vitest';
import { pageIn, type RunbookPage } from './runbook-page.ts';

/** Tests a page of the runbook. */
type Rehearse = (
  title: string,
  rule: string,
  follow: (page: RunbookPage) => Promise<void>,
  options?: TestOptions,
) => void;

/**
 * Returns the function that tests a page of the runbook. The rehearsal creates the situation and follows each of the page's commands
 * as the document shows it. It fails if it leaves one out.
 */
export const rehearseIn =
  (pages: readonly string[]): Rehearse =>
  (title, rule, follow, options = {}) =>
    it(`${title}: ${rule}`, options, async () => {
      const page = pageIn(pages, title);
      await follow(page);
      expect(page.left).toEqual([]);
    });
