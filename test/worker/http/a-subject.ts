import { expect } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { eventually } from '../../eventually.ts';
import { aPass, type State, UNSENT } from './a-pass.ts';
import { QUEUE_THAT_FAILS, WITHOUT_LIMITS, workerWith } from './api.ts';
import { aPartner, TRUSTING } from './issuer.ts';

/** Requests of a partner about its subjects and their passes, whose steps are never sent. */

export const send = workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, PASS_QUEUE: QUEUE_THAT_FAILS });
export const newApi = () => aPartner({ send });
type Client = Awaited<ReturnType<typeof newApi>>;

export const on = ({ chain, network }: PassKey) => `${chain}/${network}`;
export const issue = (api: Client, key: PassKey, body: object = {}) => api.issue(on(key), key.wallet, body);
export const update = (api: Client, key: PassKey, body: object) => api.update(on(key), key.wallet, body);
export const recordOf = async (api: Client, key: PassKey) => (await api.fetch(on(key), key.wallet)).record;
export const pathOf = (subject: string) => `/subjects/${encodeURIComponent(subject)}`;
export const jsonOf = async (api: Client, path: string) => JSON.parse((await api.call('GET', path)).text);
export const patch = (api: Client, path: string, body: object) =>
  api.call('PATCH', path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
export const setRules = async (api: Client, rules: object) =>
  expect((await patch(api, '/rules', rules)).status).toBe(200);
export const walletsOf = async (api: Client, subject: string) =>
  (await api.search({ filter: { subject } })).records.map(({ walletAddress }) => walletAddress);

/** Changes a subject, and waits until all its passes have followed. */
export async function change(api: Client, subject: string, body: object) {
  const { status, text } = await patch(api, pathOf(subject), body);
  expect(status).toBe(202);
  await followed(api, subject);
  return JSON.parse(text);
}
export const followed = (api: Client, subject: string) =>
  eventually(async () => {
    const { requests } = await jsonOf(api, pathOf(subject));
    for (const request of requests) expect(request).toHaveProperty('finishedAt');
    return requests;
  });

/** Makes a pass in a state, with a subject, whose changes are never sent. */
export async function aMember(
  api: Client,
  subject: string,
  state: State = 'ACTIVE',
  more: object = {},
): Promise<PassKey> {
  const key = await aPass({ gatekeeperNetwork: api.gatekeeperNetwork, state, ...UNSENT, ...more });
  expect((await update(api, key, { subject })).status).toBe(200);
  return key;
}
