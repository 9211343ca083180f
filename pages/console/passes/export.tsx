import { useState } from 'preact/hooks';
import { post, waitAfter } from '../api/call.ts';
import type { FoundPass, FoundPasses } from '../api/records.ts';
import { number } from '../layout/figures.ts';
import { useAction } from '../layout/load.ts';
import { Problem } from '../layout/view.tsx';
import { passesFile } from '../many/csv-files.ts';

/** The export of all passes of a search as a CSV file. */

const PAGE_SIZE = 100;
/** Offers the passes of a search as a file. `search`: the body of the request without a page. */
export function Export({ search }: { readonly search: object }) {
  const [aborter, setAborter] = useState<AbortController>();
  const [count, setCount] = useState(0);
  const { run, isRunning, error } = useAction(async () => {
    const aborted = new AbortController();
    setAborter(aborted);
    setCount(0);
    try {
      const passes = await findAll(search, setCount, aborted.signal);
      await download(passes);
    } catch (fault) {
      if (!aborted.signal.aborted) throw fault;
    }
  });
  return (
    <>
      {isRunning ? (
        <span class="actions">
          <span role="status">{number(count)} passes so far</span>
          <button type="button" onClick={() => aborter?.abort()}>
            Cancel the export
          </button>
        </span>
      ) : (
        <button type="button" onClick={() => run()}>
          Export as CSV
        </button>
      )}
      <Problem error={error} />
    </>
  );
}

/** Returns the passes of all pages. It waits if the service asks for it. Throws if a page comes again. */
async function findAll(search: object, onCount: (count: number) => void, signal: AbortSignal): Promise<FoundPass[]> {
  const passes: FoundPass[] = [];
  const places = new Set<string>();
  let after: string | undefined;
  do {
    const page = await findPage({ ...search, limit: PAGE_SIZE, after }, signal);
    passes.push(...page.records);
    onCount(passes.length);
    after = page.next;
    if (after !== undefined && places.has(after)) throw new Error('The answer is an earlier page of the list.');
    if (after !== undefined) places.add(after);
  } while (after !== undefined);
  return passes;
}

/** Returns a page of a search. It waits if the service asks for it. */
export async function findPage(body: object, signal: AbortSignal): Promise<FoundPasses> {
  for (;;) {
    try {
      return await post<FoundPasses>('pass', body, signal);
    } catch (fault) {
      const waitMs = waitAfter(fault);
      if (waitMs === undefined) throw fault;
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      signal.throwIfAborted();
    }
  }
}

async function download(passes: readonly FoundPass[]): Promise<void> {
  const url = URL.createObjectURL(new Blob([await passesFile(passes)], { type: 'text/csv' }));
  const link = document.createElement('a');
  Object.assign(link, { href: url, download: 'gatepass-passes.csv' });
  link.click();
  URL.revokeObjectURL(url);
}
