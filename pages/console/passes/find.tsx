import { useLayoutEffect, useMemo } from 'preact/hooks';
import { ApiError, post } from '../api/call.ts';
import type { FoundPasses } from '../api/records.ts';
import { useLoad } from '../layout/load.ts';
import { hashOf } from '../layout/route.ts';
import { Problem, Skeleton, View } from '../layout/view.tsx';
import { hasScope } from '../session/session.ts';
import type { ViewProps } from '../view-component.ts';
import { FoundList } from './found-list.tsx';
import { type Fields, fieldsIn, type Search, searchFor } from './search.ts';
import { Fault, SearchForm } from './search-form.tsx';

const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** Finds passes by the fields of a form, page by page. The fields and the page are in the address. */
export function FindView({ query }: ViewProps) {
  const fields = fieldsIn(query);
  const after = query.get('after');
  const key = JSON.stringify([fields, after]);
  // The end of a search by expiry must not move while the person looks at a page.
  const search = useMemo(() => searchFor(fields, after, nowSeconds()), [key]);
  const isSecretInAddress = search.type === 'fault' && search.isSecret === true;
  const shown = isSecretInAddress ? { ...fields, wallet: '' } : fields;
  useLayoutEffect(() => {
    if (isSecretInAddress) history.replaceState(history.state, '', hashOf('find', shown));
  }, [key]);
  const { value, error, reload } = useLoad((signal) => load(search, fields, after, signal), key);
  const find = (entered: Fields) => {
    const hash = hashOf('find', entered);
    if (hash === location.hash) reload();
    else location.hash = hash;
  };
  const fault = search.type === 'fault' ? search.text : '';
  return (
    <View
      title="Find"
      actions={
        hasScope('issue') && (
          <a class="button" href="#/issue">
            Issue a pass
          </a>
        )
      }
    >
      <SearchForm fields={shown} onFind={find} />
      <Fault text={fault} />
      <Problem error={error} retry={reload} />
      {!fault && value && <FoundList found={value} fields={fields} search={search} hasAfter={after !== null} />}
      {!fault && value === undefined && error === undefined && <Skeleton rows={10} />}
    </View>
  );
}

type Count = Pick<FoundPasses, 'count' | 'countIsMinimum'>;

/** The number of passes of each search. A later page has the same. */
const counts = new Map<string, Count>();

async function load(
  search: Search,
  fields: Fields,
  after: string | null,
  signal: AbortSignal,
): Promise<FoundPasses | undefined> {
  if (search.type === 'fault') return undefined;
  const key = JSON.stringify({ ...fields, order: '' });
  const known = after === null ? undefined : counts.get(key);
  if (known !== undefined) return { ...(await post<FoundPasses>('pass', search.body, signal)), ...known };
  const found = await searchWithCount(search.body, signal);
  const { count, countIsMinimum } = found;
  if (count !== undefined) counts.set(key, { count, ...(countIsMinimum && { countIsMinimum }) });
  return found;
}

/** Counts the passes too, unless the person has made many searches just now: counting has a lower rate limit. */
async function searchWithCount(body: object, signal: AbortSignal): Promise<FoundPasses> {
  try {
    return await post<FoundPasses>('pass', { ...body, count: true }, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 429) throw error;
    return post<FoundPasses>('pass', body, signal);
  }
}
