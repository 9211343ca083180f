import type { PassKey } from '../../../src/pass/pass.ts';
import type { Answer, PassRecord } from './answer.ts';
import type { Api } from './api.ts';

/** Bulk requests. */

export interface Result {
  readonly status: number;
  readonly settled?: boolean;
  readonly record?: PassRecord;
  readonly problem?: Readonly<Record<string, unknown>> & { readonly code: string };
  readonly retryAfter?: number;
}

export const itemOf = ({ chain: type, network, wallet }: PassKey, more: object = {}) => ({
  chain: { type, network },
  walletAddress: wallet,
  ...more,
});

export const sendItems = (api: Api, method: 'POST' | 'PATCH', items: readonly unknown[]): Promise<Answer> =>
  method === 'POST'
    ? api.postText('/passes', JSON.stringify({ items }))
    : api.patchText('/passes', JSON.stringify({ items }));

/** Returns the results of an accepted bulk request. */
export async function resultsOf(api: Api, method: 'POST' | 'PATCH', items: readonly unknown[]): Promise<Result[]> {
  const answer = await sendItems(api, method, items);
  if (answer.status !== 200) throw new Error(`the bulk request was refused: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text).results;
}
