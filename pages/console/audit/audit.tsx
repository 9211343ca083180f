import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { AuditEntry, Chain } from '../api/records.ts';
import { Field, onSubmit, textIn } from '../layout/field.tsx';
import { Foreign, IsoTime } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { useAction, useLoad } from '../layout/load.ts';
import { hashOf } from '../layout/route.ts';
import { Empty, Problem, Skeleton, View } from '../layout/view.tsx';
import { Wallet } from '../layout/wallet.tsx';
import { OPERATOR_ACTIONS, PARTNER_ACTIONS, wordsFor } from '../layout/words.ts';
import { passView, whyView } from '../passes/network.tsx';
import type { ViewProps } from '../view-component.ts';
import { targetOf } from './target.ts';
import { loadTrail, type TrailPage } from './trail.ts';

/** The filters of a trail, which are the state in the address too. */
const FILTERS = ['action', 'client', 'pass', 'from', 'to', 'trail'] as const;
type Filters = Readonly<Record<(typeof FILTERS)[number], string>>;

/** What differs between the trail of a partner and those that the operator reads. */
interface Kind {
  /** The name of the view in the address. */
  readonly view: string;
  /** The path of the requests. */
  readonly path: string;
  readonly actions: (filters: Filters) => Readonly<Record<string, string>>;
  readonly hasTrails: boolean;
  readonly passView: (pass: { readonly chain: Chain; readonly walletAddress: string }) => string;
  readonly networkView: (network: string) => string;
  /** Undefined: a filter instead. */
  readonly partnerView?: (named: { readonly client?: string; readonly gatekeeperNetwork?: string }) => string;
}

const PARTNER: Kind = {
  ...{ view: 'audit', path: 'audit', hasTrails: false, passView },
  actions: () => PARTNER_ACTIONS,
  networkView: (network) => hashOf('find', { network }),
};

const OPERATOR: Kind = {
  ...{ view: 'all-audit', path: 'admin/audit', hasTrails: true, passView: whyView },
  actions: ({ trail }) => (trail === '' ? OPERATOR_ACTIONS : PARTNER_ACTIONS),
  networkView: (network) => hashOf('signers', { network }),
  partnerView: (named) => hashOf('partners', named),
};

/** Shows who changed what in the gatekeeper network of the partner, the newest entry first. */
export const AuditView = ({ query }: ViewProps) => <Audit kind={PARTNER} query={query} />;

/** Shows what operators did, or what happened in a gatekeeper network. */
export const OperatorAuditView = ({ query }: ViewProps) => <Audit kind={OPERATOR} query={query} />;

interface AuditProps {
  readonly kind: Kind;
  readonly query: URLSearchParams;
}

function Audit({ kind, query }: AuditProps) {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, query.get(name)?.trim() ?? ''])) as Filters;
  const filter = queryOf(filters);
  return (
    <View title="Audit">
      <FilterForm key={`form ${filter}`} kind={kind} filters={filters} />
      <Trail key={filter} kind={kind} filters={filters} filter={filter} />
    </View>
  );
}

/** Returns the parameters of the requests, with `&` before each. The last day counts to its end. */
function queryOf({ to, ...others }: Filters): string {
  const given = Object.entries({ ...others, to: to && `${to}T23:59:59.999Z` }).filter(([, text]) => text !== '');
  return given.map(([name, text]) => `&${name}=${encodeURIComponent(text)}`).join('');
}

function FilterForm({ kind, filters }: Pick<TrailProps, 'kind' | 'filters'>) {
  const apply = (form: FormData) => {
    location.hash = hashOf(kind.view, Object.fromEntries(FILTERS.map((name) => [name, textIn(form, name)])));
  };
  const text = (name: 'client' | 'pass' | 'trail', label: string, placeholder = '') => (
    <Field label={label}>
      <input
        name={name}
        type="search"
        defaultValue={filters[name]}
        placeholder={placeholder}
        autocomplete="off"
        spellcheck={false}
      />
    </Field>
  );
  return (
    <search>
      <form onSubmit={onSubmit(apply)}>
        <div class="row filters">
          <Field label="Action">
            <select name="action">
              <option value="">any</option>
              {Object.entries(kind.actions(filters)).map(([action, words]) => (
                <option key={action} value={action} selected={action === filters.action}>
                  {words}
                </option>
              ))}
            </select>
          </Field>
          {text('client', 'Client', 'Its id')}
          {text('pass', 'Pass', 'Its id')}
          {kind.hasTrails && text('trail', 'Gatekeeper network', 'Its key')}
          <Field label="From (UTC)">
            <input name="from" type="date" defaultValue={filters.from} />
          </Field>
          <Field label="To (UTC)">
            <input name="to" type="date" defaultValue={filters.to} />
          </Field>
          <button type="submit">Apply</button>
          {queryOf(filters) !== '' && (
            <a class="button" href={hashOf(kind.view)}>
              Clear
            </a>
          )}
        </div>
      </form>
    </search>
  );
}

interface TrailProps {
  readonly kind: Kind;
  readonly filters: Filters;
  /** The parameters of the requests. */
  readonly filter: string;
}

function Trail({ kind, filters, filter }: TrailProps) {
  const { path } = kind;
  const [earlier, setEarlier] = useState<readonly TrailPage[]>([]);
  const { value, error, reload } = useLoad((signal) => loadTrail(path, filter, undefined, signal), path);
  const last = earlier.at(-1) ?? value;
  const more = useAction(async () => {
    const page = await loadTrail(path, filter, last?.next);
    setEarlier((pages) => [...pages, page]);
  });
  const entries = [value, ...earlier].flatMap((page) => page?.entries ?? []);
  return (
    <>
      <Problem error={error ?? more.error} retry={error === undefined ? () => more.run() : reload} />
      {entries.length > 0 && (
        <List
          caption={captionOf(kind, filters)}
          columns={columnsFor(kind, filters)}
          rows={entries}
          keyOf={({ sequence }) => sequence}
        />
      )}
      {value !== undefined && entries.length === 0 && (
        <Empty text={filter === '' ? 'There are no entries.' : 'No entry matches these filters.'} />
      )}
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

function captionOf({ hasTrails }: Kind, { trail }: Filters): string {
  if (!hasTrails) return 'Audit trail';
  return trail === '' ? 'Audit trail of the operators' : `Audit trail of ${trail}`;
}

const columnsFor = (kind: Kind, filters: Filters): readonly Column<AuditEntry>[] => [
  { head: 'Time', cell: ({ at }) => <IsoTime text={at} exact /> },
  {
    head: 'Action',
    cell: ({ action, outcome }) => `${wordsFor(action)}${outcome.type === 'done' ? '' : ` (${outcome.type})`}`,
  },
  { head: 'Who', cell: ({ actor }) => <Who actor={actor} kind={kind} filters={filters} /> },
  { head: 'What', cell: (entry) => <What entry={entry} kind={kind} /> },
  {
    head: 'Network',
    cell: (entry) => {
      const { network } = targetOf(entry);
      return network && <a href={kind.networkView(network)}>{network}</a>;
    },
  },
  { head: 'Reason', cell: ({ reason }) => <Foreign>{reason}</Foreign> },
];

/** A person has no view, and the client of the console is no partner. */
function Who({ actor: { client, sub }, kind, filters }: Omit<TrailProps, 'filter'> & Pick<AuditEntry, 'actor'>) {
  if (sub !== undefined) return <Foreign>{sub}</Foreign>;
  const isPartner = kind.hasTrails && filters.trail !== '';
  const href = (isPartner && kind.partnerView?.({ client })) || hashOf(kind.view, { ...filters, client });
  return (
    <a href={href}>
      <Foreign>{client}</Foreign>
    </a>
  );
}

function What({ entry, kind }: { readonly entry: AuditEntry; readonly kind: Kind }) {
  const { pass, client, gatekeeperNetwork, text } = targetOf(entry);
  const { partnerView } = kind;
  if (!pass && !client && !gatekeeperNetwork && !text) return null;
  return (
    <span class="marked">
      {pass && <Wallet address={pass.walletAddress} href={kind.passView(pass)} />}
      {client && <PartnerLink href={partnerView?.({ client })}>{client}</PartnerLink>}
      {gatekeeperNetwork && (
        <PartnerLink href={partnerView?.({ gatekeeperNetwork })}>
          <code class="short">{gatekeeperNetwork}</code>
        </PartnerLink>
      )}
      {text && (
        <code>
          <Foreign>{text}</Foreign>
        </code>
      )}
    </span>
  );
}

interface PartnerLinkProps {
  readonly href: string | undefined;
  readonly children: ComponentChildren;
}

/** Staff see only their own partner, which has no view. */
const PartnerLink = ({ href, children }: PartnerLinkProps) =>
  href === undefined ? (
    <bdi>{children}</bdi>
  ) : (
    <a href={href}>
      <bdi>{children}</bdi>
    </a>
  );
