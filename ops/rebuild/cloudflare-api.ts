import { printable } from '../../packages/cli/src/printable.ts';
import { withRetries } from '../../packages/client/src/retries.ts';
import { sendWith } from '../../packages/client/src/send.ts';
import { Failure } from '../../terminal/failure.ts';
import { CLASS_NAME, type IdSource } from './object-ids.ts';

/** Lists Durable Objects with Cloudflare's API: https://developers.cloudflare.com/api/resources/durable_objects */

export interface Account {
  readonly id: string;
  readonly token: string;
}

const API = 'https://api.cloudflare.com/client/v4';
/** The API accepts up to 10,000. */
const PAGE_IDS = 2_000;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the account and its token from the environment. Throws Failure if a variable is missing. */
export function accountIn({ CLOUDFLARE_ACCOUNT_ID: id, CLOUDFLARE_API_TOKEN: token }: Environment): Account {
  if (!id || !token)
    throw new Failure('set CLOUDFLARE_ACCOUNT_ID and CLOUDFLARE_API_TOKEN, or pass a file of ids with --ids');
  return { id, token };
}

/** Lists the ids of the pass objects of a deployed Worker. A position is the API's cursor. */
export async function idsOfScript(account: Account, script: string, api = API): Promise<IdSource> {
  const namespace = await findNamespace(account, script, api);
  return async (cursor) => {
    const query = new URLSearchParams({ limit: String(PAGE_IDS), ...(cursor && { cursor }) });
    const { result, result_info: info } = await ask<StoredObject>(
      account,
      `${api}/accounts/${account.id}${NAMESPACES}/${namespace}/objects?${query}`,
    );
    const next = info?.cursors?.after || info?.cursor || undefined;
    // An object without data was only read and holds no pass.
    const ids = result.filter(({ hasStoredData }) => hasStoredData !== false).map(({ id }) => id);
    return { ids, next: result.length === 0 ? undefined : next };
  };
}

const NAMESPACES = '/workers/durable_objects/namespaces';

async function findNamespace(account: Account, script: string, api: string): Promise<string> {
  let first: string | undefined;
  for (let page = 1; ; page += 1) {
    const { result } = await ask<Namespace>(
      account,
      `${api}/accounts/${account.id}${NAMESPACES}?page=${page}&per_page=100`,
    );
    const found = result.find((each) => each.script === script && each.class === CLASS_NAME);
    if (found !== undefined) return found.id;
    const isRepeated = result[0]?.id === first;
    first = result[0]?.id;
    if (result.length < 100 || isRepeated)
      throw new Failure(
        `the account has no Durable Object namespace of ${CLASS_NAME} for the Worker ${script}: ` +
          'check CLOUDFLARE_ACCOUNT_ID and --env',
      );
  }
}

interface Namespace {
  readonly id: string;
  readonly class?: string;
  readonly script?: string;
}

interface StoredObject {
  readonly id: string;
  readonly hasStoredData?: boolean;
}

interface Envelope<T> {
  readonly result: readonly T[];
  readonly result_info?: { readonly cursor?: string; readonly cursors?: { readonly after?: string } };
  readonly errors?: readonly { readonly message?: string }[];
}

async function ask<T>({ token }: Account, url: string): Promise<Envelope<T>> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
  const answer = await withRetries(sendWith())({ url, method: 'GET', headers, body: null }).catch(() => undefined);
  if (answer === undefined) throw new Failure('the Cloudflare API does not answer: check that this machine reaches it');
  const body = (await answer.json().catch(() => undefined)) as Envelope<T> | undefined;
  if (answer.ok && Array.isArray(body?.result)) return body;
  const why = printable(body?.errors?.[0]?.message ?? 'no reason given');
  throw new Failure(
    `the Cloudflare API answered ${answer.status} (${why}): check the permissions of CLOUDFLARE_API_TOKEN`,
  );
}
