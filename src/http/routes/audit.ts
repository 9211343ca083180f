import type { InferOutput } from 'valibot';
import { OPERATOR_TRAIL } from '../../audit/entry.ts';
import type { TrailPage } from '../../audit-object/find-entries.ts';
import type { Config } from '../../config/config.ts';
import type { GatekeeperNetwork } from '../../network/slot.ts';
import type { Backend } from '../../operations/backend.ts';
import { passTargetOf } from '../pass/pass-target.ts';
import { type Refusal, refuse } from '../protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../protocol/reply.ts';
import { adminRoute, route } from '../route.ts';
import { AllAuditQuery, AuditQuery, CommandBody, isId } from '../schemas/audit-requests.ts';

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
  handle: ({ query, partner, config, ...backend }) => readTrail(partner.gatekeeperNetwork, query, config, backend),
});

const listAllAudit = adminRoute({
  operationId: 'listAllAudit',
  method: 'GET',
  path: '/admin/audit',
  right: 'read',
  query: AllAuditQuery,
  handle: ({ query: { trail = OPERATOR_TRAIL, ...query }, config, ...backend }) =>
    readTrail(trail, query, config, backend),
});

/** A command that acts on the chain or a database reports before it starts. The router writes the entry. */
const reportCommand = adminRoute({
  operationId: 'reportCommand',
  method: 'POST',
  path: '/admin/audit',
  right: 'act',
  action: 'operator.command',
  body: CommandBody,
  handle: async ({ requestId }) => reply(201, JSON.stringify({ recorded: requestId })),
});

async function readTrail(
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
export const adminAuditRoutes = [listAllAudit, reportCommand];
