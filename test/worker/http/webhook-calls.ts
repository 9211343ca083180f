import { expect, inject } from 'vitest';
import type { Api } from './api.ts';

/** Calls of a partner that create and change its webhooks. */

/** Returns a URL of the receiver that no other test uses. */
export const aUrl = () => `${inject('webhookReceiver')}/${crypto.randomUUID()}`;
export const jsonOf = ({ text }: { readonly text: string }) => JSON.parse(text);

export const create = async (api: Api, body: object = {}) => api.post('/webhooks', { url: aUrl(), ...body });
export async function idOfNew(api: Api): Promise<string> {
  const created = await create(api);
  expect(created.status, created.text).toBe(201);
  return jsonOf(created).id;
}
export const patch = (api: Api, id: string, body: object) => api.patchText(`/webhooks/${id}`, JSON.stringify(body));
