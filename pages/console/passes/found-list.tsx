import type { FoundPass, FoundPasses } from '../api/records.ts';
import { number } from '../layout/figures.ts';
import { Foreign, StateBadge, Time } from '../layout/format.tsx';
import { type Column, List } from '../layout/list.tsx';
import { useNow } from '../layout/load.ts';
import { hashOf } from '../layout/route.ts';
import { Empty } from '../layout/view.tsx';
import { Wallet } from '../layout/wallet.tsx';
import { hasScope } from '../session/session.ts';
import { Export } from './export.tsx';
import { passView, subjectView } from './network.tsx';
import type { Fields, Search } from './search.ts';
import { select, useSelection } from './selection.ts';
import { VerdictBadges } from './verdict.tsx';

interface FoundListProps {
  readonly found: FoundPasses;
  readonly fields: Fields;
  readonly search: Search;
  /** Whether the page is a later one. */
  readonly hasAfter: boolean;
}

/** A page of passes, with the way to the other pages. */
export function FoundList({ found, fields, search, hasAfter }: FoundListProps) {
  const { records, next } = found;
  if (records.length === 0 && next === undefined && !hasAfter) return <NothingFound fields={fields} />;
  return (
    <>
      <div class="found">
        <ListActions records={records} search={search} subject={fields.subject} />
        {records.length > 0 ? (
          <Passes records={records} caption={`${captionOf(fields, search)}. ${countText(found)}`} />
        ) : (
          <Empty
            text={next === undefined ? 'There are no more passes.' : 'This page has none, and more pages follow.'}
          />
        )}
      </div>
      <Pages next={next} fields={fields} hasAfter={hasAfter} />
    </>
  );
}

function NothingFound({ fields }: Pick<FoundListProps, 'fields'>) {
  const isFiltered = Object.values(fields).some((text) => text !== '');
  return (
    <Empty text={emptyText(fields)}>
      {isFiltered && (
        <a class="button" href="#/find">
          Show all passes
        </a>
      )}
      {hasScope('issue') && (
        <a class="button" href="#/issue">
          Issue a pass
        </a>
      )}
    </Empty>
  );
}

function emptyText({ wallet, reference, subject, state, network, validity }: Fields): string {
  if (reference !== '') return 'No pass has this reference.';
  if (subject !== '') return 'No pass has this subject.';
  if (wallet !== '' && state + network + validity === '') return 'This wallet has no pass.';
  return wallet + state + network + validity === '' ? 'There are no passes yet.' : 'No pass matches these filters.';
}

function captionOf({ wallet, reference, subject, state, network, validity, order }: Fields, search: Search): string {
  if (search.type === 'search' && search.order === 'wallet') return 'The passes whose wallet begins like this';
  if (search.type === 'search' && search.order === 'expiry') return 'By expiry, the soonest first';
  const age = order === 'oldest' ? 'oldest' : 'newest';
  if (reference !== '') return `The ${age} passes with the reference`;
  if (subject !== '') return `The ${age} passes of the person`;
  if (wallet !== '') return 'The passes of the wallet';
  return state + network + validity === '' ? `The ${age} passes` : `The ${age} passes with these filters`;
}

/** An honest number: the service counts to a thousand. */
function countText({ count, countIsMinimum }: FoundPasses): string {
  if (count === undefined) return '';
  return `${countIsMinimum ? 'More than ' : ''}${number(count)} in all`;
}

/** The page before each page that a link of this tab has opened. */
const previousPages = new Map<string, string>();

function Pages({ next, fields, hasAfter }: Pick<FoundListProps, 'fields' | 'hasAfter'> & { next: string | undefined }) {
  if (next === undefined && !hasAfter) return null;
  const previous = previousPages.get(location.hash);
  const nextHash = hashOf('find', { ...fields, after: next });
  const remember = () => void previousPages.set(nextHash, location.hash);
  return (
    <nav class="pages" aria-label="Pages">
      {hasAfter && (
        <a class="button" href={hashOf('find', fields)}>
          First page
        </a>
      )}
      {previous !== undefined && (
        <a class="button" href={previous}>
          Previous
        </a>
      )}
      {next !== undefined && (
        <a class="button" href={nextHash} onClick={remember}>
          Next
        </a>
      )}
    </nav>
  );
}

interface ListActionsProps {
  readonly records: readonly FoundPass[];
  readonly search: Search;
  readonly subject: string;
}

/** The work on many passes of the list: marks for changes, and the export. */
function ListActions({ records, search, subject }: ListActionsProps) {
  const selected = useSelection();
  const isAll = records.length > 0 && records.every(({ id }) => selected.has(id));
  return (
    <div class="actions">
      {hasScope('update') && records.length > 0 && (
        <button type="button" onClick={() => select(records, !isAll)}>
          {isAll ? 'Remove the marks of this page' : 'Mark this page'}
        </button>
      )}
      {hasScope('update') && selected.size > 0 && (
        <a class="button" href={hashOf('many')}>
          Change {number(selected.size)} marked
        </a>
      )}
      {subject !== '' && records.length > 0 && (
        <a class="button" href={subjectView(subject)}>
          Show the person
        </a>
      )}
      {search.type === 'search' && <Export search={search.body} />}
    </div>
  );
}

function Mark({ pass }: { readonly pass: FoundPass }) {
  const isSelected = useSelection().has(pass.id);
  return (
    <input
      type="checkbox"
      aria-label={`Mark ${pass.walletAddress} on ${pass.chain.network}`}
      checked={isSelected}
      onChange={() => select([pass], !isSelected)}
    />
  );
}

/** The passes of a page, a line each. */
export function Passes({ records, caption }: { readonly records: readonly FoundPass[]; readonly caption: string }) {
  const now = useNow();
  const hasReferences = records.some(({ reference }) => reference !== undefined);
  const columns: readonly Column<FoundPass>[] = [
    ...(hasScope('update') ? [{ head: 'Mark', cell: (pass: FoundPass) => <Mark pass={pass} /> }] : []),
    { head: 'Wallet', cell: (pass) => <Wallet address={pass.walletAddress} href={passView(pass)} /> },
    ...(hasReferences ? [{ head: 'Reference', cell: Reference, isCut: true }] : []),
    { head: 'Network', cell: ({ chain }) => chain.network },
    { head: 'State', cell: (pass) => <States {...pass} /> },
    { head: 'Valid until', cell: (pass) => <ValidUntil {...pass} /> },
    { head: 'dApps', cell: (pass) => <VerdictBadges pass={pass} now={now} /> },
  ];
  return <List caption={caption} columns={columns} rows={records} keyOf={({ id }) => id} isDense />;
}

const Reference = ({ reference }: FoundPass) =>
  reference === undefined ? (
    <>–</>
  ) : (
    <span title={reference}>
      <Foreign>{reference}</Foreign>
    </span>
  );

/** The wanted state, and the one on chain if it differs. */
const States = ({ state, onChainState }: FoundPass) =>
  state === onChainState ? (
    <StateBadge state={state} />
  ) : (
    <span class="badges">
      <StateBadge state={state} />
      <span class="note">on chain {onChainState}</span>
    </span>
  );

function ValidUntil({ validUntil, valid }: FoundPass) {
  if (validUntil !== undefined) return <Time seconds={validUntil} />;
  return <>{valid ? 'no end' : '–'}</>;
}
