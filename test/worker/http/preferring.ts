import type { Answer } from './answer.ts';
import { type Api, partner } from './api.ts';

/** Requests about passes on sepolia, that their partner would wait for. */

export const SEPOLIA = 'ethereum/sepolia';
export const acme = await partner('acme');

export const pathTo = (wallet: string) => `/pass/${SEPOLIA}/${wallet}`;
export const asking = (api: Api, method: string, path: string, body?: object, prefer = 'wait=20') =>
  api.call(method, path, {
    ...(body && { body: JSON.stringify(body) }),
    headers: { prefer, ...(body && { 'content-type': 'application/json' }) },
  });
export const issuing = (wallet: string, prefer?: string, api = acme) =>
  asking(api, 'POST', `/pass/${SEPOLIA}`, { walletAddress: wallet }, prefer);
export const fetching = (wallet: string, prefer?: string, api = acme) =>
  asking(api, 'GET', pathTo(wallet), undefined, prefer);
export const applied = ({ headers }: Answer) => headers.get('preference-applied');

/** How long it took (ms). */
export async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const since = Date.now();
  return [await work, Date.now() - since];
}
