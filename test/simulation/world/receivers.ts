import type { Platform } from '../platform/platform.ts';
import { readRows } from './database.ts';

/** A webhook that a client has registered. */
export interface Hook {
  readonly url: string;
  readonly gatekeeperNetwork: string;
  /** The newest event of its feed at the registration. */
  readonly after: number;
}

/** The service refuses reserved names. */
const hostOf = (index: number) => `hook-${index}.partner.dev`;

/** Returns the URL of a webhook at the receiver of that number. */
export const hookUrl = (index: number, path: string | number): string => `https://${hostOf(index)}/${path}`;

/** The receivers of webhooks. */
export class Receivers {
  readonly hooks: Hook[] = [];
  /** The first delivery of each event to each webhook. */
  readonly deliveries = new Map<string, string>();
  readonly #platform: Platform;
  /** The ids of the events that the receiver took, by the URL of the webhook. */
  readonly #taken = new Map<string, string[]>();
  /** The hosts of the receivers that fail. */
  readonly #failing = new Set<string>();
  /** How many milliseconds the receivers of some hosts take for an event. */
  readonly #slow = new Map<string, number>();

  constructor(platform: Platform) {
    this.#platform = platform;
  }

  /** Notes a webhook that was registered just now. */
  note(url: string, gatekeeperNetwork: string): void {
    const newest = 'SELECT coalesce(max(sequence), 0) AS n FROM events WHERE gatekeeper_network = ?';
    const [row] = readRows(this.#platform, newest, gatekeeperNetwork);
    this.hooks.push({ url, gatekeeperNetwork, after: Number(row?.n) });
  }

  /** Whether a receiver has that host. */
  hasHost(host: string): boolean {
    return host.startsWith('hook-');
  }

  /** Takes an event, unless the receiver fails. */
  async receive(request: Request): Promise<Response> {
    const { url } = request;
    const body = await request.text();
    const { host } = new URL(url);
    const ms = this.#slow.get(host);
    const { scheduler } = this.#platform;
    if (ms !== undefined) await new Promise<void>((resolve) => scheduler.after(ms, `receive ${host}`, () => resolve()));
    if (this.#failing.has(host)) return new Response('', { status: 500 });
    const id = String(JSON.parse(body).id);
    this.#taken.set(url, [...(this.#taken.get(url) ?? []), id]);
    if (!this.deliveries.has(`${url} ${id}`)) this.deliveries.set(`${url} ${id}`, body);
    return new Response(null, { status: 204 });
  }

  /** The receiver of that number fails from now on. */
  fail(index: number): void {
    this.#failing.add(hostOf(index));
  }

  /** The receiver of that number takes that many milliseconds for each event from now on. */
  slow(index: number, ms: number): void {
    this.#slow.set(hostOf(index), ms);
  }

  /** The receiver of that number works again. */
  heal(index: number): void {
    this.#failing.delete(hostOf(index));
    this.#slow.delete(hostOf(index));
  }

  /** All receivers work again. */
  healAll(): void {
    this.#failing.clear();
    this.#slow.clear();
  }

  /** Returns the ids of the events of a webhook's feed since its registration, in order. */
  eventsFor({ gatekeeperNetwork, after }: Hook): string[] {
    const query = 'SELECT body FROM events WHERE gatekeeper_network = ? AND sequence > ? ORDER BY sequence';
    const rows = readRows(this.#platform, query, gatekeeperNetwork, after);
    return rows.map(({ body }) => String(JSON.parse(String(body)).id));
  }

  /** Returns the ids of the events that the receiver of a webhook took, each once, in the order of their first arrival. */
  takenBy({ url }: Hook): ReadonlySet<string> {
    return new Set(this.#taken.get(url));
  }

  /** Returns the ids of the events that the receiver of a webhook has not taken. */
  missingIn(hook: Hook): string[] {
    const taken = this.takenBy(hook);
    return this.eventsFor(hook).filter((id) => !taken.has(id));
  }
}
