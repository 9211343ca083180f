import { useState } from 'preact/hooks';
import type { AuditEntry } from '../api/records.ts';
import { Foreign, IsoTime } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { useAction, useLoad } from '../layout/load.ts';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';
import { loadTrail, type TrailPage } from './trail.ts';

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

function Trail({ path }: { readonly path: string }) {
  const [earlier, setEarlier] = useState<readonly TrailPage[]>([]);
  const { value, error, reload } = useLoad((signal) => loadTrail(path, '', undefined, signal), path);
  const last = earlier.at(-1) ?? value;
  const more = useAction(async () => {
    const page = await loadTrail(path, '', last?.next);
    setEarlier((pages) => [...pages, page]);
  });
  const entries = [value, ...earlier].flatMap((page) => page?.entries ?? []);
  return (
    <>
      <Problem error={error ?? more.error} retry={error === undefined ? () => more.run() : reload} />
      {entries.length > 0 && (
        <List caption="Audit trail" columns={COLUMNS} rows={entries} keyOf={({ sequence }) => sequence} />
      )}
      {value !== undefined && entries.length === 0 && <Empty text="There are no entries." />}
      {value === undefined && error === undefined && <Skeleton />}
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
    cell: (entry) =>
      targetOf(entry) && (
        <code>
          <Foreign>{targetOf(entry)}</Foreign>
        </code>
      ),
  },
  { head: 'Reason', cell: ({ reason }) => <Foreign>{reason}</Foreign> },
];
