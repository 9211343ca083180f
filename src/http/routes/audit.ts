import type { InferOutput } from 'valibot';
import type { TrailPage } from '../../audit-object/audit-object.ts';
import type { Config } from '../../config/config.ts';
import type { GatekeeperNetwork } from '../../network/slot.ts';
import type { Backend } from '../../operations/backend.ts';
import { passTargetOf } from '../pass/pass-requests.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import { AuditQuery, isId } from '../schemas/managing.ts';

/** A page of more entries is a large read. With a filter other than the pass, the trail reads many entries to find those that match. */
const FREE_ENTRIES = 100;

const listAudit = route({
  operationId: 'listAudit',
  method: 'GET',
  path: '/audit',
  scope: 'search',
  query: AuditQuery,
  readsMany: ({ query: { limit, client, action, from, to } }) =>
    limit > FREE_ENTRIES || [client, action, from, to].some((filter) => filter !== undefined),
  handle: ({ query, partner, config, backend }) => readTrail(partner.gatekeeperNetwork, query, config, backend),
});

/** Returns a page of a trail, for the partner or the operator. */
export async function readTrail(
  name: string,
  { pass: named, order, ...query }: InferOutput<typeof AuditQuery>,
  config: Config,
  backend: Backend,
): Promise<Reply | Refusal> {
  const pass = named === undefined || isId(named) ? named?.toLowerCase() : await findId(named, name, config, backend);
  if (typeof pass === 'object') return pass;
  const page = await backend.auditTrail(name).read({ ...query, pass, newestFirst: order === 'newest' });
  return reply(200, pageJson(page));
}

const IN_QUERY = { chain: '/pass', network: '/pass', wallet: '/pass' };

/** Returns the id of the pass with that chain, network and wallet in the gatekeeper network. */
async function findId(
  named: string,
  gatekeeperNetwork: string,
  config: Config,
  { passObject }: Backend,
): Promise<string | Refusal> {
  const [chain = '', chainNetwork = '', wallet = ''] = named.split('/');
  const owner = { gatekeeperNetwork: gatekeeperNetwork as GatekeeperNetwork };
  const target = passTargetOf({ chain, chainNetwork, wallet }, owner, config, IN_QUERY);
  if (isRefusal(target)) return target;
  return (await passObject(target.key).readPublication())?.id ?? refuse('pass_not_found');
}

/** The hash follows the fields of the entry, so that a reader can compute it from the others. */
function pageJson({ entries, next, more, head, start }: TrailPage): string {
  const items = entries.map(({ text, hash }) => `${text.slice(0, -1)},"hash":"${hash}"}`);
  return `{"entries":[${items.join()}],"next":${next},"more":${more},"head":${JSON.stringify(head)},"start":${JSON.stringify(start)}}`;
}

export const auditRoutes = [listAudit];
