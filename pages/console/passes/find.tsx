import { useState } from 'preact/hooks';
import { post } from '../api/call.ts';
import type { FoundPass, FoundPasses } from '../api/records.ts';
import { Field, onSubmit, textIn } from '../layout/field.tsx';
import { Foreign, StateBadge } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { useLoad, useNow } from '../layout/load.ts';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';
import { passView } from './network.tsx';
import { VerdictBadges, verdictAt } from './verdict.tsx';

const PAGE_SIZE = 20;

interface Filter {
  readonly walletAddress?: string;
  readonly reference?: string;
}

/** Finds the passes of a wallet or with a reference, and lists the newest ones before. */
export function FindView() {
  const [filter, setFilter] = useState<Filter>({});
  const body = isEmpty(filter) ? { limit: PAGE_SIZE } : { limit: 100, filter };
  const { value, error, reload } = useLoad(() => post<FoundPasses>('pass', body), JSON.stringify(filter));
  const find = (form: FormData) => {
    const [walletAddress, reference] = [textIn(form, 'wallet'), textIn(form, 'reference')];
    setFilter({ ...(walletAddress && { walletAddress }), ...(reference && { reference }) });
    reload();
  };
  return (
    <View title="Find">
      <search>
        <form class="row" onSubmit={onSubmit(find)}>
          <Field label="Wallet">
            <input name="wallet" type="search" autocomplete="off" spellcheck={false} />
          </Field>
          <Field label="Or reference">
            <input name="reference" type="search" autocomplete="off" spellcheck={false} />
          </Field>
          <button type="submit" class="primary">
            Find
          </button>
        </form>
      </search>
      <Problem error={error} retry={reload} />
      {value && <Passes passes={value.records} filter={filter} />}
      {value === undefined && error === undefined && <Skeleton />}
    </View>
  );
}

const isEmpty = (filter: Filter) => Object.keys(filter).length === 0;

function emptyText(filter: Filter): string {
  if (isEmpty(filter)) return 'There are no passes yet.';
  return filter.reference === undefined ? 'This wallet has no pass.' : 'No pass has this reference.';
}

function captionOf(filter: Filter): string {
  if (isEmpty(filter)) return 'The newest passes';
  return filter.reference === undefined ? 'The passes of the wallet' : 'The newest passes with the reference';
}

function Passes({ passes, filter }: { readonly passes: readonly FoundPass[]; readonly filter: Filter }) {
  const now = useNow();
  if (passes.length === 0)
    return (
      <Empty text={emptyText(filter)}>
        <a class="button" href="#/issue">
          Issue a pass
        </a>
      </Empty>
    );
  const columns: readonly Column<FoundPass>[] = [
    {
      head: 'Wallet',
      cell: (pass) => (
        <a href={passView(pass)}>
          <code>{pass.walletAddress}</code>
        </a>
      ),
    },
    { head: 'Reference', cell: ({ reference }) => <Foreign>{reference}</Foreign> },
    { head: 'Network', cell: ({ chain }) => chain.network },
    { head: 'Wanted', cell: ({ state }) => <StateBadge state={state} /> },
    { head: 'On chain', cell: ({ onChainState }) => <StateBadge state={onChainState} /> },
    { head: 'dApps', cell: (pass) => <VerdictBadges verdict={verdictAt(pass, now)} now={now} /> },
  ];
  return <List caption={captionOf(filter)} columns={columns} rows={passes} keyOf={({ id }) => id} />;
}
