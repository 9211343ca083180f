import { waitUntil } from 'cloudflare:workers';
import { countSettlement } from '../counts/counts.ts';
import type { Milliseconds } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { SignerName } from '../network/network.ts';
import type { Observation } from '../pass/adopt.ts';
import type { Requester } from '../pass/audit-entries.ts';
import { type Cause, type OnChain, type PassKey, passName } from '../pass/pass.ts';
import { READ_PRIMARY } from '../store/bookmarked-reads.ts';
import type { Publication } from '../store/passes.ts';
import { openStore, type Store } from '../store/store.ts';
import { boundCalls, reachObject } from './call-object.ts';
import { sendProcessPasses } from './queue.ts';

/** The work that a stored change leaves to the caller of the pass object. The object's alarm does the same later. */
export type Publishing =
  /** The read model has the change, and nothing is left to do on chain. */
  | 'nothing'
  /** Another request has just published: do `record-and-work` only if this one waits with it, and the wait fails. */
  | 'if-wait-fails'
  /** Publish the record: nothing is left to do on chain. */
  | 'record'
  /** Publish the record, and enqueue the remaining work. */
  | 'record-and-work';

/** The part of a pass that its object hands over to its caller. */
export interface HandedOver {
  readonly publication: Publication;
  readonly publish: Publishing;
  /** Whether its work takes access away, so that it must not wait behind the messages of other passes. */
  readonly isUrgent?: boolean;
}

export type PassStub = ReturnType<Env['PASSES']['getByName']>;
type SignerStub = ReturnType<Env['SIGNERS']['getByName']>;

/** The parts that get a change of a pass. */
export interface Receivers {
  readonly store: Pick<Store, 'publishPasses'>;
  readonly queue: Queue;
  passObject(key: PassKey, timeoutMs?: Milliseconds): PassStub;
  signerObject(name: SignerName): SignerStub;
}

/** @param bound Ends the calls of pass objects. */
export function receiversOf<S extends Receivers['store']>(
  { PASSES, SIGNERS, PASS_QUEUE }: Pick<Env, 'PASSES' | 'SIGNERS' | 'PASS_QUEUE'>,
  store: S,
  timeoutMs?: Milliseconds,
  bound = within,
) {
  return {
    store,
    queue: PASS_QUEUE,
    passObject: (key: PassKey, ms = timeoutMs): PassStub =>
      boundCalls(PASSES.getByName(passName(key)), 'the pass object', ms, bound),
    signerObject: (name: SignerName): SignerStub => boundCalls(SIGNERS.getByName(name), 'the signer', timeoutMs),
  };
}

/** How far D1 has the changes. */
export interface Arrival {
  /** Bookmark for a caller who has seen the passes. */
  readonly bookmark: string;
  /** The publications that a database has not taken. */
  readonly missing: readonly Publication[];
  /** Why; undefined: all are published. */
  readonly fault?: unknown;
}

/** Longer than the pass waits for its signer. */
const HURRY_TIMEOUT_MS = 20_000;
/** A caller waits as long for the queue as for D1. */
const QUEUE_TIMEOUT_MS = 2_000;

/**
 * Publishes the changes of passes together, and enqueues the work that is left in one call, as far as the pass objects request it. The
 * only way of a change from its pass object to D1 and to the queue. Logs faults, and never throws: the alarms of the objects do both later.
 */
export async function handOver(changes: readonly HandedOver[], receivers: Receivers): Promise<Arrival> {
  const { store, queue, passObject } = receivers;
  // The work that takes access away waits for no message.
  for (const { publication, publish, isUrgent } of changes) {
    const hurry = () => passObject(publication.key, HURRY_TIMEOUT_MS).hurry();
    if (isUrgent && publish === 'record-and-work')
      waitUntil(hurry().catch((fault) => logFault('pass.unreachable', fault, { pass: publication.id })));
  }
  const settled = new Set(publicationsOf(changes, 'record'));
  const unsettled = publicationsOf(changes, 'record-and-work');
  const all = [...settled, ...unsettled];
  if (all.length === 0) return { bookmark: READ_PRIMARY, missing: [] };
  const logFailure = (fault: unknown) =>
    logFault('pass.publish_failed', fault, { pass: all[0]?.id, passes: all.length });
  const enqueue = (publications: readonly Publication[]) =>
    sendProcessPasses(
      queue,
      publications.map(({ key: pass }) => ({ pass })),
      QUEUE_TIMEOUT_MS,
    ).catch(logFailure);
  const missing = new Set(all);
  /** The objects notify requests that wait for the settlement, and delete their alarms. */
  const notify = async (published: readonly Publication[]) => {
    for (const publication of published) {
      missing.delete(publication);
      const { key, version, eventsInFeed } = publication;
      if (settled.has(publication))
        waitUntil(passObject(key).markPublished({ version, eventsInFeed }).then(countSettlement, logFailure));
    }
  };
  const publish = async () => {
    try {
      return { bookmark: await store.publishPasses(all, notify), missing: [] };
    } catch (fault) {
      logFailure(fault);
      // A message updates the read model sooner than the alarm of a settled pass, which is not urgent.
      waitUntil(enqueue([...missing].filter((each) => settled.has(each))));
      return { bookmark: READ_PRIMARY, missing: [...missing], fault };
    }
  };
  const [arrival] = await Promise.all([publish(), enqueue(unsettled)]);
  return arrival;
}

function publicationsOf(changes: readonly HandedOver[], publish: Publishing): Publication[] {
  return changes.filter((each) => each.publish === publish).map(({ publication }) => publication);
}

/** A feed with new events. */
interface GrownFeed {
  readonly gatekeeperNetwork: string;
  /** Ids of its webhooks. */
  readonly webhooks: readonly string[];
}

/** Returns the name of a webhook's object. */
export function webhookName(gatekeeperNetwork: string, id: string): string {
  return `${gatekeeperNetwork}/${id}`;
}

/** Wakes the webhooks of these feeds. Best effort: each webhook looks for new events once a minute. */
export function wakeWebhooks(feeds: readonly GrownFeed[], { WEBHOOKS }: Pick<Env, 'WEBHOOKS'>): void {
  for (const { gatekeeperNetwork, webhooks } of feeds) {
    for (const id of webhooks) {
      const woken = WEBHOOKS.getByName(webhookName(gatekeeperNetwork, id)).wake();
      waitUntil(woken.catch((fault) => logFault('webhook.unreachable', fault, { webhook: id })));
    }
  }
}

const stores = new WeakMap<Env, Store>();

/** Returns the store to which objects publish. All objects of an isolate share it, because a store costs time and memory. */
export function publishingStoreOf(env: Env): Store {
  const store = stores.get(env) ?? openStore(env, { onGrown: (feeds) => wakeWebhooks(feeds, env) });
  stores.set(env, store);
  return store;
}

/** A pass, and what the chain shows of its wallet. */
export interface ShownPass {
  readonly key: PassKey;
  /** Its id. */
  readonly pass: string;
  readonly observation: Observation;
  /** The changes by others that led to the observation, in order. */
  readonly causes?: readonly Cause[];
  /** The requester of the reading; undefined: nobody requested it. */
  readonly by?: Requester;
  /** The version of its row, if that is known: an older row gets the pass, also if the pass changes nothing. */
  readonly rowVersion?: number;
}

/** The answer of a pass object to the shown state. */
export interface Adopted extends HandedOver {
  readonly changed: boolean;
  /** The known state after it. */
  readonly onChain: OnChain;
  /** Whether a step of the pass is under way, so that it could not adopt a final state. */
  readonly isBusy: boolean;
}

/** The answers of the passes, in order. */
interface Adoption extends Arrival {
  readonly answers: readonly (Adopted | 'no-pass' | 'unreachable')[];
}

/**
 * Lets passes adopt what the chain shows, publishes what has changed, and enqueues the work that is left. The one way of a change by
 * others into a pass: of a partner's sync, of the reconciliation, of the watcher, and of a sandbox. Never throws.
 */
export async function adoptFromChain(shown: readonly ShownPass[], receivers: Receivers): Promise<Adoption> {
  const answers = await Promise.all(
    shown.map(async ({ key, pass, observation, causes, by, rowVersion = Number.POSITIVE_INFINITY }) => {
      const adopt = async (): Promise<Adopted | 'no-pass'> => {
        const answer = await receivers.passObject(key).adopt(observation, causes, by);
        if (answer === undefined) return 'no-pass';
        const isBehind = answer.publish === 'nothing' && answer.publication.version > rowVersion;
        return isBehind ? { ...answer, publish: 'record' } : answer;
      };
      return (await reachObject(adopt, 'pass', pass)) ?? 'unreachable';
    }),
  );
  const changes = answers.flatMap((each) => (typeof each === 'string' ? [] : each));
  return { answers, ...(await handOver(changes, receivers)) };
}
