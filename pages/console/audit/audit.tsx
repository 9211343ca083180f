import { useState } from 'preact/hooks';
import { get } from '../api/call.ts';
import type { AuditEntry } from '../api/records.ts';
import { Foreign, IsoTime } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { useAction, useLoad } from '../layout/load.ts';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';

const PAGE_ENTRIES = 50;
/** A page without a match may be followed by one with some. */
const EMPTY_PAGES_MAX = 20;

interface Page {
  readonly entries: readonly AuditEntry[];
  readonly more: boolean;
  readonly next: number;
}

/** Shows who changed what in the gatekeeper network of the partner, the newest entry first. */
export const AuditView = () => (
  <View title="Audit">
    <Trail path="audit" />
  </View>
);

/** Shows what operators did. */
export const OperatorAuditView = () => (
  <View title="Audit">
    <Trail path="admin/audit" />
  </View>
);

/** Shows the changes that somebody requested of a pass. A new version loads all pages again: entries move from page to page. */
export const PassTrail = ({ id, version }: { readonly id: string; readonly version: number }) => (
  <>
    <h2>Who requested what</h2>
    <Trail key={version} path="audit" filter={`&pass=${id}`} isOfPass />
  </>
);

async function load(path: string, filter: string, first?: number, signal?: AbortSignal): Promise<Page> {
  let after = first;
  for (let pages = 1; ; pages += 1) {
    const from = after === undefined ? '' : `&after=${after}`;
    const page = await get<Page>(`${path}?order=newest&limit=${PAGE_ENTRIES}${filter}${from}`, signal);
    if (page.entries.length > 0 || !page.more || pages === EMPTY_PAGES_MAX) return page;
    after = page.next;
  }
}

interface TrailProps {
  readonly path: string;
  readonly filter?: string;
  readonly isOfPass?: boolean;
}

function Trail({ path, filter = '', isOfPass = false }: TrailProps) {
  const [earlier, setEarlier] = useState<readonly Page[]>([]);
  const { value, error, reload } = useLoad((signal) => load(path, filter, undefined, signal), `${path}${filter}`);
  const last = earlier.at(-1) ?? value;
  const more = useAction(async () => {
    const page = await load(path, filter, last?.next);
    setEarlier((pages) => [...pages, page]);
  });
  const entries = [value, ...earlier].flatMap((page) => page?.entries ?? []);
  const columns = isOfPass ? COLUMNS.filter(({ head }) => head !== 'What') : COLUMNS;
  return (
    <>
      <Problem error={error ?? more.error} retry={error === undefined ? () => more.run() : reload} />
      {entries.length > 0 && (
        <List caption="Audit trail" columns={columns} rows={entries} keyOf={({ sequence }) => sequence} />
      )}
      {value !== undefined && entries.length === 0 && <Empty text="There are no entries." />}
      {value === undefined && error === undefined && <Skeleton rows={isOfPass ? 2 : 6} />}
      {last?.more && (
        <div class="actions">
          <button type="button" disabled={more.isRunning} onClick={() => more.run()}>
            Earlier entries
          </button>
        </div>
      )}
    </>
  );
}

function targetOf({ target }: AuditEntry): string {
  const { walletAddress, pass, webhook, command } = target as Readonly<Record<string, unknown>>;
  const item = walletAddress ?? pass ?? webhook ?? command ?? '';
  return typeof item === 'string' ? item : JSON.stringify(item);
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { head: 'Time', cell: ({ at }) => <IsoTime text={at} exact /> },
  {
    head: 'Action',
    cell: ({ action, outcome }) => `${action} ${outcome.type === 'done' ? '' : `(${outcome.type})`}`,
  },
  { head: 'Who', cell: ({ actor }) => <Foreign>{actor.sub ?? actor.client}</Foreign> },
  {
    head: 'What',
    cell: (entry) => (
      <code>
        <Foreign>{targetOf(entry)}</Foreign>
      </code>
    ),
  },
  { head: 'Reason', cell: ({ reason }) => <Foreign>{reason}</Foreign> },
];
