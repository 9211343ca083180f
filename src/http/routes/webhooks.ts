import { v7 as uuidv7 } from 'uuid';
import type { Config } from '../../config/config.ts';
import { nowSeconds } from '../../lib/units.ts';
import { callObject } from '../../message/call-object.ts';
import type { Backend } from '../../operations/backend.ts';
import { READ_PRIMARY } from '../../store/bookmarked-reads.ts';
import { MAX_WEBHOOKS } from '../../store/feed.ts';
import type { Partner } from '../../store/partners.ts';
import { refusalOfTarget } from '../../webhook-object/send-event.ts';
import type { Webhook, WebhookView } from '../../webhook-object/webhook-store.ts';
import { type Refusal, refuse, refuseField, refuseUnavailable } from '../protocol/problem.ts';
import { reply } from '../protocol/reply.ts';
import { route } from '../route.ts';
import {
  DeliveriesQuery,
  ReplayBody,
  URL_MAX_CHARS,
  WebhookBody,
  WebhookChangeBody,
  WebhookPath,
} from '../schemas/managing.ts';

/** The fields that all routes of one webhook share. */
const OF_WEBHOOK = { scope: 'webhook', params: WebhookPath } as const;

const postWebhook = route({
  operationId: 'createWebhook',
  action: 'webhook.create',
  method: 'POST',
  path: '/webhooks',
  scope: 'webhook',
  body: WebhookBody,
  async handle({ body: { url, types, description }, partner, config, backend }) {
    const refusal = refuseTarget(url, config);
    if (refusal !== undefined) return refusal;
    const { found: newest } = await backend.store.newestSequence(partner, partner.gatekeeperNetwork, READ_PRIMARY);
    const created = await createWebhook(partner, { url: normalTarget(url), types, description }, newest, backend);
    if (created === 'too_many') return refuse('webhook_limit_reached');
    if (created === 'stopped') return refuse('webhook_disabled_by_operator');
    if (created === 'unavailable') return refuseUnavailable();
    const location = `${config.basePath}/webhooks/${created.id}`;
    return { ...reply(201, JSON.stringify(created)), headers: { location }, audit: { after: { webhook: created.id } } };
  },
});

const showOwnWebhooks = route({
  operationId: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  scope: 'webhook',
  async handle({ partner, backend }) {
    const webhooks = await listWebhooks(partner.gatekeeperNetwork, backend);
    return webhooks === undefined ? refuseUnavailable() : reply(200, JSON.stringify({ webhooks }));
  },
});

const getWebhook = route({
  operationId: 'getWebhook',
  method: 'GET',
  path: '/webhooks/:webhook',
  ...OF_WEBHOOK,
  async handle({ params: { webhook: id }, partner, backend }) {
    const webhook = await backend.webhookObject(partner.gatekeeperNetwork, id).read();
    return webhook === undefined ? refuse('webhook_not_found') : reply(200, JSON.stringify(webhook));
  },
});

const updateWebhook = route({
  operationId: 'updateWebhook',
  action: 'webhook.change',
  method: 'PATCH',
  path: '/webhooks/:webhook',
  ...OF_WEBHOOK,
  body: WebhookChangeBody,
  async handle({ params: { webhook: id }, body, partner, config, backend }) {
    const refusal = body.url === undefined ? undefined : refuseTarget(body.url, config);
    if (refusal !== undefined) return refusal;
    const change = body.url === undefined ? body : { ...body, url: normalTarget(body.url) };
    const isUndoing = change.status === 'enabled' || change.url !== undefined;
    if (isUndoing) {
      const webhooks = await listWebhooks(partner.gatekeeperNetwork, backend);
      if (webhooks === undefined) return refuseUnavailable();
      // One that is enabled already continues.
      const disabled = webhooks.find((webhook) => webhook.id === id && webhook.status === 'disabled');
      const url = change.url ?? disabled?.url;
      if (url !== undefined && hasStoppedHost(url, webhooks)) return refuse('webhook_disabled_by_operator');
    }
    const webhook = await backend.webhookObject(partner.gatekeeperNetwork, id).change(change, 'partner');
    if (isUndoing && webhook?.disabledReason === 'operator') return refuse('webhook_disabled_by_operator');
    if (webhook === undefined) return refuse('webhook_not_found');
    return { ...reply(200, JSON.stringify(webhook)), audit: { after: { status: webhook.status } } };
  },
});

const deleteWebhook = route({
  operationId: 'deleteWebhook',
  action: 'webhook.delete',
  method: 'DELETE',
  path: '/webhooks/:webhook',
  ...OF_WEBHOOK,
  async handle({ params: { webhook: id }, partner, backend: { store, webhookObject } }) {
    const { gatekeeperNetwork } = partner;
    const existed = await webhookObject(gatekeeperNetwork, id).remove('partner');
    if (existed === 'disabled_by_operator') return refuse('webhook_disabled_by_operator');
    // Also after a request that failed in between.
    const wasListed = await store.removeWebhook(gatekeeperNetwork, id);
    return existed || wasListed ? { status: 204, body: null } : refuse('webhook_not_found');
  },
});

const testWebhook = route({
  operationId: 'testWebhook',
  method: 'POST',
  path: '/webhooks/:webhook/test',
  ...OF_WEBHOOK,
  async handle({ params: { webhook: id }, partner, backend }) {
    const tested = await backend.webhookObject(partner.gatekeeperNetwork, id).sendTest();
    if (tested === undefined) return refuse('webhook_not_found');
    if (tested.type === 'too_soon') return refuseTooSoon();
    const { type: _, ...outcome } = tested;
    return reply(200, JSON.stringify(outcome));
  },
});

const rotateWebhookSecret = route({
  operationId: 'rotateWebhookSecret',
  action: 'webhook.rotate_secret',
  method: 'POST',
  path: '/webhooks/:webhook/rotate-secret',
  ...OF_WEBHOOK,
  async handle({ params: { webhook: id }, partner, backend }) {
    const rotated = await backend.webhookObject(partner.gatekeeperNetwork, id).rotateSecret();
    return rotated === undefined ? refuse('webhook_not_found') : reply(200, JSON.stringify(rotated));
  },
});

const replayWebhook = route({
  operationId: 'replayWebhook',
  action: 'webhook.replay',
  method: 'POST',
  path: '/webhooks/:webhook/replay',
  ...OF_WEBHOOK,
  body: ReplayBody,
  async handle({ params: { webhook: id }, body: { after }, partner, backend }) {
    const result = await backend.webhookObject(partner.gatekeeperNetwork, id).replay(after);
    if (result === undefined) return refuse('webhook_not_found');
    switch (result.type) {
      case 'too_soon':
        return refuseTooSoon();
      case 'cursor_expired':
        return refuse('cursor_expired', { oldest: result.oldest });
      case 'beyond_newest': {
        const detail = `must be at most ${result.newest}, the newest sequence of the feed`;
        return refuseField('/after', detail);
      }
      case 'quota_reached': {
        const { events, left, retryAfter } = result;
        const detail = `The replay counts as ${events} events, and the webhooks of your gatekeeper network may replay ${left} more today. Replay fewer, read them with GET /events, or try again after midnight UTC.`;
        return refuse('replay_quota_reached', { detail, headers: { 'retry-after': String(retryAfter) } });
      }
      case 'unavailable':
        return refuseUnavailable();
      case 'replaying':
        return reply(202, JSON.stringify(result.webhook));
    }
  },
});

const listDeliveries = route({
  operationId: 'listDeliveries',
  method: 'GET',
  path: '/webhooks/:webhook/deliveries',
  ...OF_WEBHOOK,
  query: DeliveriesQuery,
  async handle({ params: { webhook: id }, query: { after, limit }, partner, backend }) {
    // One more than the page has tells whether there is another page.
    const found = await backend.webhookObject(partner.gatekeeperNetwork, id).deliveriesAfter(after, limit + 1);
    if (found === undefined) return refuse('webhook_not_found');
    const deliveries = found.slice(0, limit);
    const next = deliveries.at(-1)?.number ?? after;
    return reply(200, JSON.stringify({ deliveries, next, more: found.length > limit }));
  },
});

const TOO_LONG = `must have at most ${URL_MAX_CHARS} characters, with other letters than ASCII encoded`;

/** Returns the URL as it is requested: without letters that a reader may see in another order, and the host in ASCII. */
function normalTarget(url: string): string {
  return URL.parse(url)?.href ?? url;
}

/** Refuses a URL that no webhook may have; undefined: it is allowed. */
function refuseTarget(url: string, config: Config): Refusal | undefined {
  // A partner must be able to send the stored URL again.
  const detail = normalTarget(url).length > URL_MAX_CHARS ? TOO_LONG : refusalOfTarget(url, config);
  return detail === undefined ? undefined : refuseField('/url', detail);
}

/** Refuses a second test or replay within ten seconds, and a test whose turn at the host would come late. */
function refuseTooSoon(): Refusal {
  return refuse('rate_limited', {
    detail:
      'A webhook allows one test and one replay per ten seconds, and a host 20 deliveries per second. Try again after the time in Retry-After.',
    headers: { 'retry-after': '10' },
  });
}

type Created = WebhookView & { readonly secret: string };

/**
 * Creates a webhook, whose first event is the next one of the feed, or returns why not. The request may end at any point: the
 * object is the first to have the webhook, which does nothing until the list has its id, and goes if the list never gets it.
 */
export async function createWebhook(
  { gatekeeperNetwork }: Pick<Partner, 'gatekeeperNetwork'>,
  settings: Pick<Webhook, 'url' | 'types' | 'description'>,
  cursor: number,
  backend: Backend,
): Promise<Created | 'too_many' | 'stopped' | 'unavailable'> {
  const webhooks = await listWebhooks(gatekeeperNetwork, backend);
  if (webhooks === undefined) return 'unavailable';
  if (hasStoppedHost(settings.url, webhooks)) return 'stopped';
  if (webhooks.length >= MAX_WEBHOOKS) return 'too_many';
  const id = uuidv7();
  const object = backend.webhookObject(gatekeeperNetwork, id);
  const createdAt = nowSeconds();
  const created = await object.create({ ...settings, id, gatekeeperNetwork, createdAt, cursor, isNew: true });
  try {
    // Another request may have taken the last place meanwhile.
    const isListed = await backend.store.addWebhook(gatekeeperNetwork, id);
    // The object learns that it is listed. It has gone if this took longer than a minute.
    if (isListed) return (await object.read()) === undefined ? 'unavailable' : created;
  } catch (fault) {
    await object.remove();
    throw fault;
  }
  await object.remove();
  return 'too_many';
}

/**
 * Whether the operator has disabled a webhook with the host of the URL. Otherwise a partner could undo the stop with another
 * webhook.
 */
function hasStoppedHost(url: string, webhooks: readonly WebhookView[]): boolean {
  const host = URL.parse(url)?.host;
  return webhooks.some((webhook) => webhook.disabledReason === 'operator' && URL.parse(webhook.url)?.host === host);
}

/**
 * Returns the webhooks of a gatekeeper network, oldest first. Undefined if one of them does not answer, because a list without it
 * would look as if it were deleted. An id without a webhook, which a failed request left behind, gives up its place.
 */
export async function listWebhooks(
  gatekeeperNetwork: string,
  { store, webhookObject }: Pick<Backend, 'store' | 'webhookObject'>,
): Promise<WebhookView[] | undefined> {
  const ids = await store.webhooksOf(gatekeeperNetwork);
  const read = ids.map((id) =>
    callObject(async () => ({ id, webhook: await webhookObject(gatekeeperNetwork, id).read() }), 'webhook', id),
  );
  const found = (await Promise.all(read)).filter((each) => each !== undefined);
  if (found.length < ids.length) return undefined;
  const left = found.filter(({ webhook }) => webhook === undefined);
  await Promise.all(left.map(({ id }) => store.removeWebhook(gatekeeperNetwork, id)));
  return found.flatMap(({ webhook }) => webhook ?? []);
}

export const webhookRoutes = [
  postWebhook,
  showOwnWebhooks,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  testWebhook,
  rotateWebhookSecret,
  replayWebhook,
  listDeliveries,
];
