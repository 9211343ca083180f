import { networkOf } from '../world/identities.ts';
import { type ChainNetwork, textOf } from '../world/networks.ts';
import type { Asked } from '../world/requests.ts';
import type { RecordEvent } from './learned-changes.ts';
import type { PassRequest } from './pass-model.ts';

/** The requests of a world about passes, and their answers, whether they concern one pass or many. */

/** A pass as an answer shows it. */
export interface ShownPass {
  readonly id: string;
  readonly state: string;
  readonly onChainState: string;
  readonly walletAddress: string;
  readonly chain: { readonly network: string };
  readonly expiryTimestamp?: number;
  readonly reference?: string;
  readonly events: readonly RecordEvent[];
}

/** A request about a pass. */
export interface AskedPass {
  readonly asked: Asked;
  readonly type: PassRequest['type'];
  /** The gatekeeper network, the network and the wallet. */
  readonly name: string;
  readonly state?: PassRequest['state'];
  readonly expiry?: number | undefined;
  readonly reference?: string | null | undefined;
  /** Undefined: no answer. */
  readonly status: number | undefined;
  /** The record in the answer. */
  readonly record?: ShownPass | undefined;
  /** Why it was refused. */
  readonly code?: string | undefined;
}

interface Fields {
  readonly walletAddress?: string;
  readonly state?: PassRequest['state'];
  readonly expiryTimestamp?: number;
  readonly reference?: string | null;
  readonly chain?: { readonly network: string };
}

interface ItemResult {
  readonly status: number;
  readonly record?: ShownPass;
  readonly problem?: { readonly code: string };
}

/** Returns the requests about single passes: of a request about many, each of its items. */
export function passesAsked(all: readonly Asked[]): AskedPass[] {
  return all.flatMap((asked) => {
    const owner = networkOf(asked.client);
    if (owner === undefined) return [];
    if (asked.path === '/passes') return itemsOf(owner, asked);
    const [, network = '', inPath, sync] = /^\/pass\/\w+\/([\w-]+)(?:\/(\w+))?(\/sync)?$/.exec(asked.path) ?? [];
    const fields = (asked.body ?? {}) as Fields;
    const wallet = inPath ?? fields.walletAddress;
    if (network === '' || wallet === undefined) return [];
    const { status, answer, method } = asked;
    const isRecord = status !== undefined && status < 300;
    return [
      {
        ...{ asked, status, name: textOf({ gatekeeperNetwork: owner, network: network as ChainNetwork, wallet }) },
        ...(method === 'DELETE' ? { state: 'REVOKED' as const } : wantedIn(fields)),
        type: sync ? 'sync' : method === 'GET' ? 'fetch' : method === 'POST' ? 'issue' : 'update',
        record: isRecord ? (answer as ShownPass) : undefined,
        code: (answer as { code?: string } | undefined)?.code,
      },
    ];
  });
}

const wantedIn = ({ state, expiryTimestamp: expiry, reference }: Fields) => ({ state, expiry, reference });

function itemsOf(owner: string, asked: Asked): AskedPass[] {
  const { items = [] } = (asked.body ?? {}) as { readonly items?: readonly Fields[] };
  const { results } = (asked.answer ?? {}) as { readonly results?: readonly ItemResult[] };
  // Equal items about one pass are one request.
  const isFirst = ({ walletAddress }: Fields, index: number) =>
    items.findIndex((each) => each.walletAddress === walletAddress) === index;
  const asOne = (item: Fields, index: number) => {
    const { status, record, problem } = results?.[index] ?? { status: asked.status };
    return {
      ...{ asked, status, record, code: problem?.code },
      ...wantedIn(item),
      name: textOf({
        gatekeeperNetwork: owner,
        network: item.chain?.network as ChainNetwork,
        wallet: item.walletAddress ?? '',
      }),
      type: asked.method === 'POST' ? 'issue' : 'update',
    } as AskedPass;
  };
  return items.flatMap((item, index) => (isFirst(item, index) ? [asOne(item, index)] : []));
}

/** Returns the records in an answer: of one pass, of many, or of a search. */
export function recordsIn({ answer, status = 500 }: Pick<Asked, 'answer' | 'status'>): readonly ShownPass[] {
  if (status >= 300 || answer === undefined) return [];
  const { results, records, events, id } = answer as {
    readonly results?: readonly ItemResult[];
    readonly records?: readonly ShownPass[];
    readonly events?: unknown;
    readonly id?: string;
  };
  if (results) return results.flatMap(({ record }) => record ?? []);
  if (records) return records;
  return id !== undefined && events !== undefined ? [answer as ShownPass] : [];
}
