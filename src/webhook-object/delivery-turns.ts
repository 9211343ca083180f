import type { Milliseconds } from '../lib/brand.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { Webhook } from './webhook.ts';

const ANSWER_TIMEOUT_MS = 5_000;
/** A run that has used its first turn has more to deliver, so it asks for several at a time. */
const MORE_TURNS = 10;
/** Without an answer, each webhook keeps this distance. Five of them together then respect the limit too. */
const DISTANCE_WITHOUT_ANSWER_MS = 250;

/**
 * The turns of a webhook's deliveries. All webhooks of a gatekeeper network take them from its quota object, so that together they
 * send a host at most 20 deliveries in any second.
 */
export class DeliveryTurns {
  readonly #quotas: Env['QUOTAS'];
  /** The turns that are left, and until when each waits. */
  #turns: Milliseconds[] = [];
  #host = '';
  #asking: Promise<void> | undefined;
  #isFirst = true;
  /** The last turn without an answer. */
  #last: Milliseconds = 0;

  constructor(quotas: Env['QUOTAS']) {
    this.#quotas = quotas;
  }

  /** Gives up the turns that a run left. */
  reset(): void {
    this.#turns = [];
    this.#isFirst = true;
  }

  /** Waits for the next turn at the webhook's host. */
  async wait(webhook: Webhook): Promise<void> {
    const host = URL.parse(webhook.url)?.host ?? '';
    if (host !== this.#host) this.reset();
    this.#host = host;
    while (this.#turns.length === 0) {
      this.#asking ??= this.#ask(webhook, host);
      await this.#asking;
    }
    const ms = (this.#turns.shift() ?? 0) - performance.now();
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }

  async #ask({ gatekeeperNetwork, id }: Webhook, host: string): Promise<void> {
    const count = this.#isFirst ? 1 : MORE_TURNS;
    this.#isFirst = false;
    try {
      const asked = this.#quotas.getByName(gatekeeperNetwork).takeTurns(host, count);
      const delays = await within(ANSWER_TIMEOUT_MS, asked, 'the quota object');
      this.#turns.push(...delays.map((ms) => performance.now() + ms));
    } catch (fault) {
      logFault('quota.unreachable', fault, { webhook: id });
      this.#last = Math.max(this.#last, performance.now()) + DISTANCE_WITHOUT_ANSWER_MS;
      this.#turns.push(this.#last);
    } finally {
      this.#asking = undefined;
    }
  }
}
