import type { Account } from './account.ts';

/** The permissions of an API token that a deployment needs. */
export type Permission = 'D1' | 'Queues' | 'Workers Scripts';

export interface ApiRequest {
  readonly account: Account;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly json: unknown;
  readonly body: Buffer;
  readonly contentType: string;
}

/** `result` of the answer, and its information about pages. */
export interface Reply {
  readonly result: unknown;
  readonly result_info?: object;
  /** Default: 200. */
  readonly status?: number;
}

/** A route below the account. A request with another query parameter is unknown. */
export interface ApiRoute {
  readonly method: string;
  readonly path: string;
  /** Undefined: any token will do. */
  readonly permission?: Permission;
  readonly query?: readonly string[];
  readonly handle: (request: ApiRequest) => Reply | Promise<Reply>;
}

/** Returns a page of the list, as the API does. */
export function pageOf(list: readonly unknown[], query: URLSearchParams): Reply {
  const page = Number(query.get('page') ?? 1);
  const per_page = Number(query.get('per_page') ?? 100);
  const result = list.slice((page - 1) * per_page, page * per_page);
  return {
    result,
    result_info: {
      page,
      per_page,
      count: result.length,
      total_count: list.length,
      total_pages: Math.ceil(list.length / per_page),
    },
  };
}
