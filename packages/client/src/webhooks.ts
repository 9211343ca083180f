import { GatepassProblem } from './errors.ts';
import { readBodyAs, readNothing } from './read-reply.ts';
import type { components } from './schema.ts';
import type { Service } from './service.ts';

type Schemas = components['schemas'];

/** A webhook of your gatekeeper network. Later releases may add fields and values. */
export type Webhook = Schemas['Webhook'];
/** A webhook with its secret. */
export type CreatedWebhook = Schemas['CreatedWebhook'];
export type NewWebhook = Schemas['WebhookRequest'];
/** A change of a webhook. An absent field keeps its value. */
export type WebhookUpdate = Schemas['WebhookChangeRequest'];
/** The new secret, and until when the previous one signs too. */
export type RotatedSecret = Schemas['RotatedSecret'];
/** The outcome of a test delivery. */
export type TestedWebhook = Schemas['TestedWebhook'];
/** An attempt to deliver an event. */
export type Delivery = Schemas['Delivery'];
/** A page of deliveries, oldest first. `next` is the number to continue after. */
export type DeliveryPage = Schemas['Deliveries'];

type Abortable = { readonly signal?: AbortSignal };

const WEBHOOK = '/webhooks/{webhook}';

/** The operations on the webhooks of the gatekeeper network. They throw like all operations. */
export function webhooksOf(service: Service) {
  const about = (webhook: string, { signal }: Abortable) => ({
    params: { path: { webhook } },
    signal: signal ?? null,
  });

  return {
    /** Creates a webhook. Only this call returns its secret. Never retried without an answer: that could create a second webhook. */
    create: (body: NewWebhook, { signal }: Abortable = {}): Promise<CreatedWebhook> =>
      readBodyAs(service.POST('/webhooks', { body, signal: signal ?? null })),

    /** Returns all webhooks, oldest first. */
    list: async ({ signal }: Abortable = {}): Promise<Webhook[]> =>
      (await readBodyAs<Schemas['Webhooks']>(service.GET('/webhooks', { signal: signal ?? null }))).webhooks,

    /** Returns a webhook; undefined if it does not exist. */
    async get(id: string, options: Abortable = {}): Promise<Webhook | undefined> {
      try {
        return await readBodyAs(service.GET(WEBHOOK, about(id, options)));
      } catch (fault) {
        return undefinedIfMissing(fault);
      }
    },

    /** Changes a webhook, disables it, or enables it again. */
    update: (id: string, body: WebhookUpdate, options: Abortable = {}): Promise<Webhook> =>
      readBodyAs(service.PATCH(WEBHOOK, { ...about(id, options), body })),

    /** Deletes a webhook. Also resolves if it does not exist, as after a deletion whose answer was lost. */
    async remove(id: string, options: Abortable = {}): Promise<void> {
      try {
        await readNothing(service.DELETE(WEBHOOK, about(id, options)));
      } catch (fault) {
        undefinedIfMissing(fault);
      }
    },

    /** Sends a test delivery, and returns its outcome. */
    test: (id: string, options: Abortable = {}): Promise<TestedWebhook> =>
      readBodyAs(service.POST(`${WEBHOOK}/test`, about(id, options))),

    /**
     * Replaces the secret. For a day, deliveries also have a signature of the previous one. Never retried without an answer: a second
     * rotation would end the validity of the secret that the receiver has.
     */
    rotateSecret: (id: string, options: Abortable = {}): Promise<RotatedSecret> =>
      readBodyAs(service.POST(`${WEBHOOK}/rotate-secret`, about(id, options))),

    /** Delivers all events after this sequence again, with the same ids. */
    replay: (id: string, after: number, options: Abortable = {}): Promise<Webhook> =>
      readBodyAs(service.POST(`${WEBHOOK}/replay`, { ...about(id, options), body: { after } })),

    /** Returns a page of the newest deliveries, oldest first, after the one with this number. */
    deliveries(id: string, query: { after?: number; limit?: number } = {}, options: Abortable = {}) {
      const { params, signal } = about(id, options);
      return readBodyAs<DeliveryPage>(service.GET(`${WEBHOOK}/deliveries`, { params: { ...params, query }, signal }));
    },
  };
}

function undefinedIfMissing(fault: unknown): undefined {
  if (fault instanceof GatepassProblem && fault.code === 'webhook_not_found') return undefined;
  throw fault;
}
