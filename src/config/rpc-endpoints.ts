import * as v from 'valibot';
import { type Secret, secret } from '../lib/secret.ts';
import { NETWORKS } from '../network/networks.ts';
import { HttpUrl, Json, parse } from './variable.ts';

const Endpoints = v.strictObject(
  Object.fromEntries(NETWORKS.map(({ network }) => [network, v.optional(v.array(HttpUrl, 'must be a list of URLs'))])),
  'must hold only names of networks',
);

/** `RPC_ENDPOINTS`: `{"sepolia": ["https://…", "https://…"]}`, in order of preference. */
export function rpcEndpoints(env: Readonly<Record<string, unknown>>): Record<string, readonly Secret<string>[]> {
  const byNetwork = parse(env, 'RPC_ENDPOINTS', v.pipe(Json, Endpoints));
  return Object.fromEntries(Object.entries(byNetwork).map(([network, urls]) => [network, (urls ?? []).map(secret)]));
}
