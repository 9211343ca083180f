import type { Asked } from '../world/requests.ts';

/** The contents of requests and answers, whether they concern one pass or many. */

/** A record, as far as a judge reads it. */
export interface ShownPass {
  readonly id: string;
  readonly chain: { readonly type: string; readonly network: string };
  readonly walletAddress: string;
  readonly state: string;
  readonly onChainState: string;
  readonly reference?: string;
  readonly events: readonly {
    readonly eventType: string;
    readonly timestamp: number;
    readonly transaction?: { readonly status: string };
  }[];
}

/** The result of a change of one pass. */
export interface ChangeResult {
  readonly status?: number | undefined;
  readonly record?: ShownPass | undefined;
  readonly code?: string | undefined;
  /** The name of the pass: network and wallet. */
  readonly pass: string;
  /** The fields of the change. */
  readonly fields: { readonly reference?: string | null; readonly state?: string; readonly expiryTimestamp?: number };
}

interface Item {
  readonly chain: { readonly network: string };
  readonly walletAddress: string;
}

interface Row {
  readonly status: number;
  readonly record?: ShownPass;
  readonly problem?: { readonly code: string };
}

export const nameOfPass = (network: string, wallet: string): string => `${network}/${wallet.toLowerCase()}`;

/** Returns the result of each pass that a request changes. A request without an answer has results without a status. */
export function resultsOf({ path, body, answer, status }: Asked): ChangeResult[] {
  if (path === '/passes') {
    const { items } = body as { readonly items: readonly (Item & ChangeResult['fields'])[] };
    const rows = status === 200 ? (answer as { readonly results: readonly Row[] }).results : [];
    return items.map((item, index) => {
      const row = rows[index];
      const { problem, record } = row ?? {};
      const pass = nameOfPass(item.chain.network, item.walletAddress);
      return {
        status: row?.status ?? (status === 200 ? undefined : status),
        record,
        code: problem?.code,
        pass,
        fields: item,
      };
    });
  }
  const [, network = '', inPath = ''] = /^\/pass\/\w+\/(\w+)\/?(\w*)/.exec(path) ?? [];
  const fields = (body ?? {}) as ChangeResult['fields'] & { readonly walletAddress?: string };
  const pass = nameOfPass(network, inPath || (fields.walletAddress ?? ''));
  const isAccepted = status !== undefined && status < 300;
  const { code } = (answer ?? {}) as { readonly code?: string };
  return [{ status, record: isAccepted ? (answer as ShownPass) : undefined, code, pass, fields }];
}

/** Returns the records in an answer: of one pass, of many, or of a search. */
export function recordsIn({ answer, status = 500 }: Asked): ShownPass[] {
  if (status >= 300 || answer === undefined) return [];
  const { results, records, events, id } = answer as {
    readonly results?: readonly Row[];
    readonly records?: readonly ShownPass[];
    readonly events?: unknown;
    readonly id?: string;
  };
  if (results) return results.flatMap(({ record }) => record ?? []);
  if (records) return [...records];
  return id !== undefined && events !== undefined ? [answer as ShownPass] : [];
}
