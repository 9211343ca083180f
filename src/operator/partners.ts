import type { Config } from '../config/config.ts';
import { signerNameOf, signersOn } from '../config/signers.ts';
import { isConsoleClient } from '../http/access/authorize.ts';
import { type FieldError, refuse, refuseField } from '../http/protocol/problem.ts';
import { type Reply, reply } from '../http/protocol/reply.ts';
import { acts, adminRoute, reads } from '../http/route.ts';
import { currentMonth, usageJson } from '../http/routes/events.ts';
import { RulesBody } from '../http/schemas/managing.ts';
import { callObject } from '../message/call-object.ts';
import { newSandbox, rulesFor } from '../network/sandbox.ts';
import type { Backend } from '../operations/backend.ts';
import type { WatchedFeeds } from '../store/feed.ts';
import type { PartnerRecord } from '../store/partner-record.ts';
import {
  ClientPath,
  clientCursor,
  GatekeeperNetworkPath,
  ImportBody,
  NOT_PUBLIC,
  PartnerBody,
  PartnerChangeBody,
  PartnersQuery,
  PublicChecksBody,
} from './partner-requests.ts';
import { AllUsageQuery, SwitchWebhookBody, WebhooksQuery } from './requests.ts';
import { givingRights } from './second-person.ts';

/** Reading needs no right to change partners, and who changes them may read them. */
const READING = { method: 'GET', right: 'read', orRight: 'partners' } as const;

const listPartners = adminRoute({
  operationId: 'listPartners',
  path: '/admin/partners',
  ...READING,
  query: PartnersQuery,
  async handle({ query: { limit, after = '' }, store }) {
    const partners = await store.partnersAfter(after, limit);
    const ids = partners.map(({ clientId }) => clientId);
    return replyPage({ partners }, ids, limit);
  },
});

const exportPartners = adminRoute({
  operationId: 'exportPartners',
  path: '/admin/partners/export',
  ...READING,
  query: PartnersQuery,
  async handle({ query: { limit, after = '' }, store }) {
    const rows = await store.exportPartners(after, limit);
    const ids = rows.partners.map(({ client_id }) => String(client_id));
    return replyPage(rows, ids, limit);
  },
});

/** Replies with a page of these clients, and where the list continues. */
function replyPage(page: object, ids: readonly string[], limit: number): Reply {
  const last = ids.at(-1);
  const next = ids.length < limit || last === undefined ? null : clientCursor(last);
  return reply(200, JSON.stringify({ ...page, next }));
}

const getPartner = adminRoute({
  operationId: 'getPartner',
  path: '/admin/partners/:client',
  ...READING,
  params: ClientPath,
  async handle({ params: { client }, store }) {
    const partner = await store.findRegistration(client);
    return partner === undefined ? refuse('partner_not_found') : reply(200, JSON.stringify(partner));
  },
});

const OF_CONSOLE = 'is the client of the console, which acts for persons: register another client';
const NOT_BOUND = 'is not bound in this deployment: add it to wrangler.toml, and release it';

/** Returns the faults of clients and shards that only this deployment has. */
function faultsOf(
  clients: readonly (readonly [pointer: string, id: string])[],
  shards: readonly (readonly [pointer: string, name: string])[],
  config: Config,
  store: { hasShard(name: string): boolean },
): FieldError[] {
  return [
    ...clients
      .filter(([, id]) => isConsoleClient(id, config.console))
      .map(([at]) => ({ pointer: at, detail: OF_CONSOLE })),
    ...shards.filter(([, name]) => !store.hasShard(name)).map(([at]) => ({ pointer: at, detail: NOT_BOUND })),
  ];
}

const addPartner = adminRoute({
  operationId: 'addPartner',
  method: 'POST',
  path: '/admin/partners',
  right: 'partners',
  action: 'operator.add_partner',
  body: PartnerBody,
  async handle({ body, config, store, ...backend }) {
    const { reason: _, approval: __, sandbox: ___, gatekeeperNetwork = newSandbox(), ...partner } = body;
    const { clientId, shard, organization } = partner;
    const shards = shard === undefined ? [] : [['/shard', shard] as const];
    const errors = faultsOf([['/clientId', clientId]], shards, config, store);
    if (errors.length > 0) return refuse('invalid_request', { errors });
    const given = { client_id: clientId, gatekeeper_network: gatekeeperNetwork, organization, status: 'active' };
    return givingRights({ body, config, ...backend }, [given], store, async () => {
      const added = await store.addPartner({ ...partner, gatekeeperNetwork });
      if (typeof added === 'string') return refuse(added);
      const location = `${config.basePath}/admin/partners/${encodeURIComponent(clientId)}`;
      return { ...reply(201, JSON.stringify(added)), headers: { location }, audit: { after: added } };
    });
  },
});

const changePartner = adminRoute({
  operationId: 'changePartner',
  method: 'PATCH',
  path: '/admin/partners/:client',
  right: 'partners',
  action: 'operator.change_partner',
  params: ClientPath,
  body: PartnerChangeBody,
  async handle({ params: { client }, body, config, store, signerObject, ...backend }) {
    const { reason: _, approval: __, ...change } = body;
    const partner = await store.findRegistration(client);
    if (partner === undefined) return refuse('partner_not_found');
    const { gatekeeperNetwork: gatekeeper_network } = partner;
    const { organization, status } = change;
    // The approval is for this client alone.
    const asked = { body: { client, ...body }, config, ...backend };
    return givingRights(asked, [{ client_id: client, gatekeeper_network, organization, status }], store, async () => {
      const changed = await store.changePartner(client, change);
      if (changed === undefined) return refuse('partner_not_found');
      if (typeof changed === 'string') return refuse(changed);
      // The signers of a sandbox sign nothing, so they may follow by themselves.
      if (status !== undefined && !changed.after.sandbox) await tellSigners(config, signerObject);
      return { ...reply(200, JSON.stringify(changed.after)), audit: changed };
    });
  },
});

/** Makes all signers read the suspended clients, so that their next signature follows them. One that does not answer follows in a minute. */
async function tellSigners(config: Config, signerObject: Backend['signerObject']): Promise<void> {
  const names = config.networks.flatMap((network) => signersOn(config, network)).map(signerNameOf);
  await Promise.all(names.map((name) => callObject(() => signerObject(name).checkSuspensions(), 'signer', name)));
}

const importPartners = adminRoute({
  operationId: 'importPartners',
  method: 'POST',
  path: '/admin/partners/import',
  right: 'partners',
  action: 'operator.import_partners',
  bulk: true,
  body: ImportBody,
  async handle({ body, config, store, signerObject, ...backend }) {
    const { reason: _, approval: __, ...rows } = body;
    const clients = rows.partners.map(({ client_id }, at) => [`/partners/${at}/client_id`, client_id] as const);
    const shards = rows.gatekeeper_networks.map(
      ({ shard }, at) => [`/gatekeeper_networks/${at}/shard`, shard] as const,
    );
    const errors = faultsOf(clients, shards, config, store);
    if (errors.length > 0) return refuse('invalid_request', { errors });
    return givingRights({ body, config, ...backend }, rows.partners, store, async () => {
      const imported = await store.importPartners(rows);
      if (typeof imported === 'string') return refuse(imported);
      await tellSigners(config, signerObject);
      const { before, after } = imported;
      const audit = {
        before: { partners: withoutEqual(before, after) },
        after: { partners: withoutEqual(after, before) },
        counts: { partners: rows.partners.length },
      };
      return { ...reply(200, JSON.stringify({ imported: rows.partners.length })), audit };
    });
  },
});

/** Returns the partners that the others do not have in the same form: an import of an unchanged export has no change. */
function withoutEqual(partners: readonly PartnerRecord[], others: readonly PartnerRecord[]): PartnerRecord[] {
  const known = new Set(others.map((each) => JSON.stringify(each)));
  return partners.filter((each) => !known.has(JSON.stringify(each)));
}

const switchPublicChecks = adminRoute({
  operationId: 'switchPublicChecks',
  method: 'PATCH',
  path: '/admin/gatekeeper-networks/:gatekeeperNetwork',
  right: 'partners',
  action: 'operator.switch_public_checks',
  params: GatekeeperNetworkPath,
  body: PublicChecksBody,
  async handle({ params: { gatekeeperNetwork }, body: { publicVerify }, store }) {
    if (publicVerify && !rulesFor(gatekeeperNetwork).mayBePublic) return refuseField('/publicVerify', NOT_PUBLIC);
    const changed = await store.switchPublicChecks(gatekeeperNetwork, publicVerify);
    if (changed === undefined) return refuse('gatekeeper_network_not_found');
    if (typeof changed === 'string') return refuse(changed);
    return { ...reply(200, JSON.stringify(changed.after)), audit: changed };
  },
});

const changeNetworkRules = adminRoute({
  operationId: 'changeNetworkRules',
  method: 'PATCH',
  path: '/admin/gatekeeper-networks/:gatekeeperNetwork/rules',
  right: 'partners',
  action: 'operator.change_rules',
  params: GatekeeperNetworkPath,
  body: RulesBody,
  async handle({ params: { gatekeeperNetwork }, body: { reason: _, ...change }, store }) {
    const changed = await store.changeRules(gatekeeperNetwork, change);
    if (changed === undefined) return refuse('gatekeeper_network_not_found');
    return { ...reply(200, JSON.stringify(changed.after)), audit: changed };
  },
});

const listAllWebhooks = adminRoute({
  ...reads('listAllWebhooks', '/admin/webhooks'),
  query: WebhooksQuery,
  async handle({ query: { limit, after }, ...backend }) {
    const { feeds, unread } = await backend.store.watchedFeedsAfter(after ?? '', limit);
    const webhooks = (await Promise.all(feeds.map((feed) => readWebhooks(feed, backend)))).flat();
    const next = feeds.length === limit ? (feeds.at(-1)?.gatekeeperNetwork ?? null) : null;
    const unreadShards = unread.length > 0 ? unread : undefined;
    return reply(200, JSON.stringify({ webhooks, next, unreadShards }));
  },
});

/** Returns the webhooks of a feed. A webhook whose object does not answer has only its id. An id without a webhook is left over. */
async function readWebhooks(
  { gatekeeperNetwork, sequence, webhooks }: WatchedFeeds['feeds'][number],
  { webhookObject }: Backend,
) {
  const read = webhooks.map(async (id) => {
    const answer = async () => ({ webhook: await webhookObject(gatekeeperNetwork, id).read() });
    const found = await callObject(answer, 'webhook', id);
    if (found === undefined) return { gatekeeperNetwork, id, unreachable: true };
    const { webhook } = found;
    return webhook && { gatekeeperNetwork, ...webhook, lag: Math.max(0, sequence - webhook.cursor) };
  });
  return (await Promise.all(read)).filter((webhook) => webhook !== undefined);
}

const disableWebhook = adminRoute({
  ...acts('disableWebhook', '/admin/webhooks', 'operator.switch_webhook'),
  body: SwitchWebhookBody,
  async handle({ body: { disable, enable }, webhookObject }) {
    const { gatekeeperNetwork, id } = disable ?? enable ?? { gatekeeperNetwork: '', id: '' };
    const status = disable === undefined ? 'enabled' : 'disabled';
    const webhook = await webhookObject(gatekeeperNetwork, id).change({ status }, 'operator');
    return webhook === undefined ? refuse('webhook_not_found') : reply(200, JSON.stringify(webhook));
  },
});

const listUsage = adminRoute({
  ...reads('listUsage', '/admin/usage'),
  query: AllUsageQuery,
  async handle({ query: { month = currentMonth(), limit, after, subjects }, store }) {
    const page = await store.usageOfAll(month, { after, limit, subjects });
    const gatekeeperNetworks = page.map(({ gatekeeperNetwork, clients, usage, ...more }) => ({
      gatekeeperNetwork,
      clients: clients.map(({ id, name }) => ({ clientId: id, name })),
      networks: usageJson(usage),
      ...more,
    }));
    const next = page.length === limit ? (page.at(-1)?.gatekeeperNetwork ?? null) : null;
    return reply(200, JSON.stringify({ month, gatekeeperNetworks, next }));
  },
});

export const feedRoutes = [listAllWebhooks, disableWebhook, listUsage];

/** The export precedes the route of one partner, whose path has the same form. */
export const partnerRoutes = [
  listPartners,
  addPartner,
  exportPartners,
  importPartners,
  getPartner,
  changePartner,
  switchPublicChecks,
  changeNetworkRules,
];
