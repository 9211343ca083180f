import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, inject } from 'vitest';
import { defaultContract } from '../../default-contract.ts';
import type { Answer } from './answer.ts';
import type { Api } from './api.ts';
import { newClientId, newGatekeeperNetwork } from './issuer.ts';
import { anOperator } from './operator.ts';

/** The partners of the tests, and the calls of the operator that manage them. */

export const desk = await anOperator({ scope: 'admin:partners' });
export const OURS = defaultContract({ network: 'sepolia' });
const { AUDITS, SIGNERS } = env as unknown as Env;
export const trail = () => AUDITS.getByName('operator');

export const jsonOf = ({ text }: Answer) => JSON.parse(text);
const send = (api: Api, method: string, path: string, body: object) =>
  api.call(method, path, { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
export const change = (clientId: string, body: object, api = desk) =>
  send(api, 'PATCH', `/admin/partners/${encodeURIComponent(clientId)}`, body);
export const find = async (clientId: string) =>
  jsonOf(await desk.call('GET', `/admin/partners/${encodeURIComponent(clientId)}`));
export const switchChecks = (key: string, publicVerify: boolean, api = desk) =>
  send(api, 'PATCH', `/admin/gatekeeper-networks/${key}`, { publicVerify });
export const isSuspendedInSigner = (clientId: string) =>
  runInDurableObject(
    SIGNERS.getByName(`ethereum/sepolia/${inject('localnet').gatekeeper.ethereum}`),
    (_, { storage }) => storage.kv.get<string[]>('suspendedClients')?.includes(clientId),
  );
export const lastEntry = async () => {
  const { entries } = await trail().read({ limit: 1, newestFirst: true });
  return JSON.parse(entries[0]?.text ?? '{}');
};

const LIMITS = { networks: null, dailyIssuances: null, dailyChanges: null };
export const aBody = (fields: object = {}) => ({
  ...{ clientId: newClientId(), name: 'One', gatekeeperNetwork: newGatekeeperNetwork() as string, ...LIMITS },
  ...fields,
});
export async function added(fields: object = {}) {
  const body = aBody(fields);
  const answer = await desk.post('/admin/partners', body);
  expect(answer.status, answer.text).toBe(201);
  return body;
}
