import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FeedEvent } from '../../../tools/localnet/partner/feed.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { type NewWebhook, replaceWebhook } from '../../../tools/localnet/partner/webhooks.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { verifyDelivery } from '../../../tools/localnet/webhook/receiver.ts';
import { CLOSE, type Outcome, RESET, startFaultProxy } from '../fault-proxy.ts';
import type { Arrival } from './compare-feed.ts';
import type { Random } from './random.ts';
import { PARTNERS } from './tested-pass.ts';

type Partner = (typeof PARTNERS)[number];

/** A receiver of webhooks that can fail. It has a webhook of each partner. */
export interface FaultyReceiver {
  readonly name: string;
  readonly webhooks: Readonly<Record<Partner, NewWebhook>>;
  /** The arrivals of each partner, in order. */
  readonly arrivals: Readonly<Record<Partner, readonly Arrival[]>>;
  /** Sets the probability that a delivery fails from now on. At first none fails. */
  setFailures(probability: number): void;
  /** Number of requests without a valid signature. */
  invalidCount(): number;
  stop(): void;
}

/** The share of deliveries that fail at the receiver that fails. */
export const FAILING_SHARE = 0.5;

const KEPT: Outcome = { status: 204 };
const INVALID: Outcome = { status: 401 };
/** The service waits 15 seconds for an answer. */
const HANG_MS = 17_000;

/** The failures and their weights. A hanging answer is rare, because it delays the other passes of its page too. */
const FAILURES = [
  [60, 'status 500'],
  [15, 'status 503 with Retry-After'],
  [15, 'reset'],
  [9, 'answer lost'],
  [1, 'hang'],
] as const;
type Failure = (typeof FAILURES)[number][1];

/** Starts a receiver on a free port, and creates its webhooks. */
export async function startFaultyReceiver(name: string, facts: LocalnetFacts, random: Random): Promise<FaultyReceiver> {
  const arrivals: Record<Partner, Arrival[]> = { acme: [], globex: [] };
  const secrets = new Map<string, Promise<NewWebhook>>();
  let probability = 0;
  let invalid = 0;

  const server = await startFaultProxy('', async (request, { stopping }) => {
    const partner = request.path.slice(1) as Partner;
    const event = verifyDelivery((await secrets.get(partner))?.secret ?? '', request, request.body);
    if (event === undefined) {
      invalid += 1;
      return INVALID;
    }
    const failure = random.chance(probability) ? random.weighted(FAILURES) : undefined;
    const isKept = failure === undefined || failure === 'answer lost';
    arrivals[partner].push({ id: event.id, digest: digestOf(event), isKept });
    if (failure === 'hang') await sleep(HANG_MS, undefined, { signal: stopping });
    return failure === undefined ? KEPT : outcomeOf(failure);
  });

  const webhooks = {} as Record<Partner, NewWebhook>;
  for (const partner of PARTNERS) {
    const created = replaceWebhook(new LocalnetPartner(facts, partner), `${server.url}/${partner}`, name);
    secrets.set(partner, created);
    webhooks[partner] = await created;
  }
  return {
    name,
    webhooks,
    arrivals,
    setFailures(next) {
      probability = next;
    },
    invalidCount: () => invalid,
    stop: server.stop,
  };
}

function outcomeOf(failure: Failure): Outcome {
  switch (failure) {
    case 'status 500':
      return { status: 500, body: 'no' };
    case 'status 503 with Retry-After':
      return { status: 503, headers: { 'retry-after': '1' } };
    case 'reset':
    case 'answer lost':
      return RESET;
    case 'hang':
      return CLOSE;
  }
}

/** Returns a digest of an event, because a long run delivers too many events to keep them. */
export function digestOf(event: FeedEvent): string {
  return createHash('sha256').update(JSON.stringify(event)).digest('base64');
}
