import type { Milliseconds } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { Webhook } from './webhook-store.ts';

const ANSWER_TIMEOUT_MS = 5_000;
/** A run that has used its first turn has more to deliver, so it asks for several at a time. */
const MORE_TURNS = 10;
/** Without an answer, each webhook keeps this distance. Five of them together then respect the limit too. */
const DISTANCE_WITHOUT_ANSWER_MS = 250;

/** The turns at a host that are left, and until when each waits. */
interface Turns {
  readonly host: string;
  readonly left: Milliseconds[];
  isFirst: boolean;
  asking: Promise<void> | undefined;
}

const hostOf = ({ url }: Webhook) => URL.parse(url)?.host ?? '';

async function waitUntil(moment: Milliseconds): Promise<void> {
  const ms = moment - performance.now();
  if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
}

const noTurns = (host: string): Turns => ({ host, left: [], isFirst: true, asking: undefined });

/**
 * The turns of a webhook's deliveries. All webhooks of a gatekeeper network take them from its quota object, so that together they
 * send a host at most 20 deliveries in any second.
 */
export class DeliveryTurns {
  readonly #quotas: Env['QUOTAS'];
  /** A change of the URL begins with none, and leaves the earlier ones to the deliveries that wait for them. */
  #turns = noTurns('');
  /** The last turn without an answer. */
  #last: Milliseconds = 0;

  constructor(quotas: Env['QUOTAS']) {
    this.#quotas = quotas;
  }

  /** Gives up the turns that a run left. */
  reset(): void {
    this.#turns = noTurns('');
  }

  /** Waits for the next turn at the webhook's host. */
  async wait(webhook: Webhook): Promise<void> {
    const host = hostOf(webhook);
    if (host !== this.#turns.host) this.#turns = noTurns(host);
    const turns = this.#turns;
    while (turns.left.length === 0) {
      turns.asking ??= this.#ask(webhook, turns);
      await turns.asking;
    }
    await waitUntil(turns.left.shift() ?? 0);
  }

  /** Waits for a turn of its own. Returns false, and takes none, if it is later than `maxMs`. */
  async waitForOne(webhook: Webhook, maxMs: Milliseconds): Promise<boolean> {
    const turns = noTurns(hostOf(webhook));
    await this.#ask(webhook, turns, maxMs);
    const [turn] = turns.left;
    if (turn !== undefined) await waitUntil(turn);
    return turn !== undefined;
  }

  async #ask({ gatekeeperNetwork, id }: Webhook, turns: Turns, maxMs?: Milliseconds): Promise<void> {
    const count = turns.isFirst ? 1 : MORE_TURNS;
    turns.isFirst = false;
    try {
      const asked = this.#quotas.getByName(gatekeeperNetwork).takeTurns(turns.host, count, maxMs);
      const delays = await within(ANSWER_TIMEOUT_MS, asked, 'the quota object');
      turns.left.push(...delays.map((ms) => performance.now() + ms));
    } catch (fault) {
      logFault('quota.unreachable', fault, { webhook: id });
      this.#last = Math.max(this.#last, performance.now()) + DISTANCE_WITHOUT_ANSWER_MS;
      turns.left.push(this.#last);
    } finally {
      turns.asking = undefined;
    }
  }
}
