import { Failure } from './failure.ts';

/** A feed of a billion events has this many pages. */
const PAGES_MAX = 1_000_000;
/** A page is empty although more follow if a filter refuses all its entries. */
const EMPTY_PAGES_MAX = 1_000;

/**
 * Returns a function to call with the number of entries of each page that has a next one. It throws Failure if there are more pages, or
 * more empty ones in a row, than any service has: a broken server would otherwise be read without end.
 */
export function limitPages(pagesMax = PAGES_MAX, emptyPagesMax = EMPTY_PAGES_MAX): (entries: number) => void {
  let pages = 0;
  let empty = 0;
  return (entries) => {
    pages += 1;
    empty = entries === 0 ? empty + 1 : 0;
    if (pages >= pagesMax || empty >= emptyPagesMax)
      throw new Failure(`the answers do not end after ${pages} pages: is GATEPASS_URL the URL of the service?`);
  };
}
