import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { get, getPages } from '../api/call.ts';
import type { NetworkUsage, Usage } from '../api/records.ts';
import { Field } from '../layout/field.tsx';
import { number } from '../layout/figures.ts';
import { type Column, List } from '../layout/list.tsx';
import { useLoad } from '../layout/load.ts';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';

const COUNTS = ['issued', 'renewed', 'revoked', 'active'] as const;
const currentMonth = () => new Date().toISOString().slice(0, 7);

interface PartnerUsage {
  readonly gatekeeperNetwork: string;
  readonly clients: readonly { readonly name: string }[];
  readonly networks: readonly NetworkUsage[];
  readonly subjects?: Usage['subjects'];
}

interface UsagePage {
  readonly gatekeeperNetworks: readonly PartnerUsage[];
  readonly next: string | null;
}

/** Shows the usage of the partner in a month. */
export const UsageView = () => (
  <Month load={(month, signal) => withPersons((more) => get<Usage>(`usage?month=${month}${more}`, signal))}>
    {(usage) => <PersonsAndBars caption="Passes by network" {...usage} />}
  </Month>
);

/** Shows the usage of all partners in a month. */
export const AllUsageView = () => (
  <Month load={loadAll}>
    {(all) =>
      all.map(({ gatekeeperNetwork, clients, ...usage }) => (
        <section key={gatekeeperNetwork} class="card">
          <h2>{clients.map(({ name }) => name).join(', ') || 'No partner'}</h2>
          <p>
            <code class="whole">{gatekeeperNetwork}</code>
          </p>
          <PersonsAndBars caption={`Passes of ${gatekeeperNetwork} by network`} {...usage} />
        </section>
      ))
    }
  </Month>
);

const loadAll = async (month: string, signal: AbortSignal) =>
  (await withPersons((more) => getPages<UsagePage>(`admin/usage?month=${month}${more}`, signal))).flatMap(
    ({ gatekeeperNetworks }) => gatekeeperNetworks,
  );

/** Loads the usage without the persons if they cannot be counted: each pass that has one is read. */
const withPersons = <Value,>(load: (more: string) => Promise<Value>) => load('&subjects=true').catch(() => load(''));

interface MonthProps<Value> {
  readonly load: (month: string, signal: AbortSignal) => Promise<Value>;
  readonly children: (value: Value) => ComponentChildren;
}

function Month<Value>({ load, children }: MonthProps<Value>) {
  const [month, setMonth] = useState(currentMonth());
  const { value, error, reload } = useLoad((signal) => load(month, signal), month);
  return (
    <View title="Usage">
      <Field label="Month (UTC)">
        <input
          type="month"
          value={month}
          max={currentMonth()}
          onChange={({ currentTarget }) => currentTarget.value && setMonth(currentTarget.value)}
        />
      </Field>
      <Problem error={error} retry={reload} />
      {value !== undefined && children(value)}
      {value === undefined && error === undefined && <Skeleton />}
    </View>
  );
}

/** Shows how many persons have active passes now, and the passes of a month by network. */
const PersonsAndBars = ({ subjects, ...bars }: BarsProps & Pick<PartnerUsage, 'subjects'>) => (
  <>
    {subjects !== undefined && subjects.count > 0 && <p>{describePersons(subjects)}</p>}
    <Bars {...bars} />
  </>
);

const describePersons = ({ count, passes }: NonNullable<PartnerUsage['subjects']>) =>
  `${count === 1 ? '1 person has' : `${number(count)} persons have`} ${passes === 1 ? '1 active pass' : `${number(passes)} active passes`}.`;

interface BarsProps {
  readonly caption: string;
  readonly networks: readonly NetworkUsage[];
}

function Bars({ caption, networks }: BarsProps) {
  if (networks.length === 0) return <Empty text="There is no usage in this month." />;
  const most = Math.max(1, ...networks.flatMap((network) => COUNTS.map((count) => network[count])));
  const columns: readonly Column<NetworkUsage>[] = [
    { head: 'Network', cell: ({ chain }) => chain.network, isHeading: true },
    ...COUNTS.map((count) => ({
      head: `${count.charAt(0).toUpperCase()}${count.slice(1)}`,
      cell: (usage: NetworkUsage) => (
        <span class="bar">
          {number(usage[count])}
          <meter min={0} max={most} value={usage[count]} aria-label={`${count} on ${usage.chain.network}`} />
        </span>
      ),
    })),
  ];
  return (
    <>
      <p class="lead">Active passes include expired ones.</p>
      <List caption={caption} columns={columns} rows={networks} keyOf={({ chain }) => chain.network} />
    </>
  );
}
