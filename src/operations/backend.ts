import type { AuditObject } from '../audit-object/audit-object.ts';
import { type EmergencyLists, emergencyListsIn } from '../config/signers.ts';
import { METRICS_NAME } from '../counts/counts.ts';
import { nowSeconds, type UnixSeconds } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { boundCalls, secondsAhead } from '../message/call-object.ts';
import { type PassStub, type Receivers, receiversOf, wakeWebhooks, webhookName } from '../message/hand-over.ts';
import type { MetricsObject } from '../metrics-object/metrics-object.ts';
import { subjectName } from '../pass/pass.ts';
import { countRoom, countSync, type QuotaRefusal } from '../pass-object/daily-quota.ts';
import type { QuotaObject } from '../quota-object/quota-object.ts';
import type { SandboxObject } from '../sandbox-object/sandbox-object.ts';
import type { Store, StoreListeners } from '../store/store.ts';
import type { SubjectObject } from '../subject-object/subject-object.ts';
import type { WatcherObject } from '../watcher-object/watcher-object.ts';
import type { WebhookObject } from '../webhook-object/webhook-object.ts';
import { WaitingWork } from './waiting-work.ts';

/** Dependencies of routes, operations and the consumer. Each call of an object ends after a time. */
export interface Backend extends Receivers {
  readonly store: Store;
  /** The queue of bulk requests, so that the pass of a waiting user is not behind them. */
  readonly bulkQueue: Queue;
  readonly waitingWork: WaitingWork;
  /** Returns the lists that signers learn with each submission: an isolate has new ones sooner than a running object. Undefined: no emergency set any. */
  emergencyLists(): EmergencyLists | undefined;
  /** Throws if `id` is not the id of a pass object. */
  passObjectWithId(id: string): PassStub;
  isPassObjectId(id: string): boolean;
  webhookObject(gatekeeperNetwork: string, id: string): DurableObjectStub<WebhookObject>;
  /** Of the network with that name. */
  watcherObject(network: string): DurableObjectStub<WatcherObject>;
  /** Counts a change without a transaction for the day of a gatekeeper network, or returns a refusal. `change` is its unique name. */
  countRoom(gatekeeperNetwork: string, change: string, daily?: number): Promise<QuotaRefusal | undefined>;
  /** Counts a reading of a pass in the same way. */
  countSync(gatekeeperNetwork: string, reading: string): Promise<QuotaRefusal | undefined>;
  /** Of the client with that id, or of the gatekeeper network. */
  quotaObject(client: string): DurableObjectStub<QuotaObject>;
  metricsObject(): DurableObjectStub<MetricsObject>;
  sandboxObject(gatekeeperNetwork: string): DurableObjectStub<SandboxObject>;
  subjectObject(gatekeeperNetwork: string, subject: string): DurableObjectStub<SubjectObject>;
  /** Returns the time of a gatekeeper network: a sandbox has a clock of its own. */
  timeOf(gatekeeperNetwork: string): Promise<UnixSeconds>;
  /** Of a gatekeeper network, or of the operator. */
  auditTrail(name: string): DurableObjectStub<AuditObject>;
}

/** A trail has no calls to other services, so it answers soon or not at all. */
const TRAIL_TIMEOUT_MS = 10_000;

/** Returns the receivers of news from a store: the log, and the webhooks to wake. */
export function storeListeners(env: Env): StoreListeners {
  return {
    // From 95 % on, the shard takes no new passes.
    onFilling: (shard) =>
      logFault('database.filling', 'add a shard, and move a gatekeeper network there', {
        ...shard,
      }),
    onGrown: (feeds) => wakeWebhooks(feeds, env),
  };
}

/** @param bound Ends the calls of pass objects. A backend that serves only one event may pass `withinTogether()`. */
export function openBackend(env: Env, store: Store, bound = within): Backend {
  const { PASSES, WEBHOOKS, WATCHERS, AUDITS, METRICS, QUOTAS, SANDBOXES, SUBJECTS, BULK_PASS_QUEUE } = env;
  return {
    ...receiversOf(env, store, undefined, bound),
    bulkQueue: BULK_PASS_QUEUE,
    waitingWork: new WaitingWork(),
    emergencyLists() {
      const lists = emergencyListsIn(env);
      return lists.number === 0 ? undefined : lists;
    },
    passObjectWithId: (id) => boundCalls(PASSES.get(PASSES.idFromString(id)), 'the pass object'),
    isPassObjectId(id) {
      try {
        return PASSES.idFromString(id) !== undefined;
      } catch {
        return false;
      }
    },
    webhookObject: (gatekeeperNetwork, id) =>
      boundCalls(WEBHOOKS.getByName(webhookName(gatekeeperNetwork, id)), 'the webhook'),
    watcherObject: (network) => boundCalls(WATCHERS.getByName(network), 'the watcher'),
    countRoom: (...change) => countRoom(QUOTAS, ...change),
    countSync: (...reading) => countSync(QUOTAS, ...reading),
    quotaObject: (client) => QUOTAS.getByName(client),
    sandboxObject: (gatekeeperNetwork) => boundCalls(SANDBOXES.getByName(gatekeeperNetwork), 'the sandbox'),
    subjectObject: (gatekeeperNetwork, subject) =>
      boundCalls(SUBJECTS.getByName(subjectName(gatekeeperNetwork, subject)), 'the subject'),
    timeOf: async (gatekeeperNetwork) => nowSeconds() + (await secondsAhead(gatekeeperNetwork, env)),
    metricsObject: () => METRICS.getByName(METRICS_NAME),
    auditTrail: (name) => boundCalls(AUDITS.getByName(name), 'the audit trail', TRAIL_TIMEOUT_MS),
  };
}
