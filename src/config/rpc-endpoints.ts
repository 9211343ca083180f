import * as v from 'valibot';
import { type Secret, secret } from '../lib/secret.ts';
import { NETWORKS } from '../network/networks.ts';
import { ConfigError, HttpUrl, Json, parseVariable } from './variable.ts';

const Endpoints = v.strictObject(
  Object.fromEntries(NETWORKS.map(({ network }) => [network, v.optional(v.array(HttpUrl, 'must be a list of URLs'))])),
  'must hold only names of networks',
);

const MAINNETS = NETWORKS.filter(({ testnet }) => !testnet).map(({ network }) => network);

const Mainnets = v.pipe(
  v.optional(v.string('must be names of mainnets'), ''),
  v.transform((names) => names.split(/\s+/).filter(Boolean)),
  v.array(v.picklist(MAINNETS, `must name none but mainnets: ${MAINNETS.join(' ')}`)),
);

/**
 * `RPC_ENDPOINTS`: `{"sepolia": ["https://…", "https://…"]}`, in order of preference. What is done on a mainnet costs
 * money and stays: an endpoint alone, which may be a slip, does not make it one that is used. `MAINNETS` names it too.
 */
export function parseRpcEndpoints(env: Readonly<Record<string, unknown>>): Record<string, readonly Secret<string>[]> {
  const byNetwork = parseVariable(env, 'RPC_ENDPOINTS', v.pipe(Json, Endpoints));
  const mainnets = parseVariable(env, 'MAINNETS', Mainnets);
  const unnamed = MAINNETS.find((network) => byNetwork[network]?.length && !mainnets.includes(network));
  if (unnamed) throw new ConfigError('MAINNETS', `must name ${unnamed}, which has an RPC endpoint`);
  return Object.fromEntries(Object.entries(byNetwork).map(([network, urls]) => [network, (urls ?? []).map(secret)]));
}
