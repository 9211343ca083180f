import * as v from 'valibot';
import { type Secret, secret } from '../lib/secret.ts';
import { NETWORKS } from '../network/networks.ts';
import { ConfigError, HttpUrl, Json, parseVariable } from './variable.ts';

const Endpoints = v.strictObject(
  Object.fromEntries(NETWORKS.map(({ network }) => [network, v.optional(v.array(HttpUrl, 'must be a list of URLs'))])),
  'must contain only names of networks',
);

const MAINNETS = NETWORKS.filter(({ testnet }) => !testnet).map(({ network }) => network);

const Mainnets = v.pipe(
  v.optional(v.string('must be names of mainnets'), ''),
  v.transform((names) => names.split(/\s+/).filter(Boolean)),
  v.array(v.picklist(MAINNETS, `must name only mainnets: ${MAINNETS.join(' ')}`)),
);

/**
 * Returns the endpoints of `RPC_ENDPOINTS`, for example `{"sepolia": ["https://…", "https://…"]}`, in order of preference.
 * Transactions on a mainnet cost money and cannot be undone. An endpoint alone may be a mistake, so `MAINNETS` must name the
 * network too.
 */
export function parseRpcEndpoints(env: Readonly<Record<string, unknown>>): Record<string, readonly Secret<string>[]> {
  const byNetwork = parseVariable(env, 'RPC_ENDPOINTS', v.pipe(Json, Endpoints));
  const mainnets = parseVariable(env, 'MAINNETS', Mainnets);
  const unnamed = MAINNETS.find((network) => byNetwork[network]?.length && !mainnets.includes(network));
  if (unnamed) throw new ConfigError('MAINNETS', `must name ${unnamed}, which has an RPC endpoint`);
  return Object.fromEntries(Object.entries(byNetwork).map(([network, urls]) => [network, (urls ?? []).map(secret)]));
}
