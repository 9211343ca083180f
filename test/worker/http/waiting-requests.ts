import type { Answer } from './answer.ts';
import { type Api, partner } from './api.ts';

/** Requests about passes on sepolia that ask to wait. */

export const SEPOLIA = 'ethereum/sepolia';
export const acme = await partner('acme');

export const pathTo = (wallet: string) => `/pass/${SEPOLIA}/${wallet}`;
export const requestWaiting = (api: Api, method: string, path: string, body?: object, prefer = 'wait=20') =>
  api.call(method, path, {
    ...(body && { body: JSON.stringify(body) }),
    headers: { prefer, ...(body && { 'content-type': 'application/json' }) },
  });
export const issueWaiting = (wallet: string, prefer?: string, api = acme) =>
  requestWaiting(api, 'POST', `/pass/${SEPOLIA}`, { walletAddress: wallet }, prefer);
export const fetchWaiting = (wallet: string, prefer?: string, api = acme) =>
  requestWaiting(api, 'GET', pathTo(wallet), undefined, prefer);
export const appliedPreference = ({ headers }: Answer) => headers.get('preference-applied');

/** Returns the result and how long the work took (ms). */
export async function measure<T>(work: Promise<T>): Promise<[T, number]> {
  const since = Date.now();
  return [await work, Date.now() - since];
}
