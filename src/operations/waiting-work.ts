import type { Config } from '../config/config.ts';
import { signerNamesOf } from '../config/signers.ts';
import type { Milliseconds } from '../lib/brand.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { Network } from '../network/network.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { SignerObject } from '../signer-object/signer-object.ts';
import type { Partner } from '../store/partners.ts';

/** The part of the backend that this file needs. */
interface Signers {
  signerObject(name: SignerName): DurableObjectStub<SignerObject>;
}

/** Number of accepted requests of a client after which the signers are asked again. */
const ASK_AFTER_REQUESTS = 20;
/** Minimum time between two calls to the signers for a client at its limit. */
const ASK_EVERY_MS = 5_000;
const COUNT_TIMEOUT_MS = 2_000;
/** Number of pairs of client and network that one isolate remembers. */
const REMEMBERED_MAX = 1_000;

interface Counted {
  /** Number of unsigned steps of the client in the newest count of the signers. */
  steps: number;
  askedAt: Milliseconds;
  /** Number of requests that this isolate has accepted since that count. */
  accepted: number;
}

/** The share of the limit that bulk requests may use. The rest is for users who wait for one pass. */
const BULK_SHARE = 0.75;

/**
 * Limits the steps of a client that wait at the signers of a network, so that an hour of abuse does not become days of spending.
 * Each isolate counts for itself and asks the signers after some requests, so the limit is approximate: every isolate that
 * serves the client may accept `ASK_AFTER_REQUESTS` requests beyond it, or the items of one bulk request. A client with few
 * requests causes no further call.
 */
export class WaitingWork {
  readonly #counted = new Map<string, Counted>();

  /** Whether the client has reached its limit of waiting steps. If not, counts the request as accepted. */
  async isFull(partner: Partner, network: Network, config: Config, signers: Signers): Promise<boolean> {
    return (await this.#accept(1, config.clientMaxWaiting, partner, network, config, signers)) === 0;
  }

  /** Returns how many items of a bulk request fit, and counts them as accepted. */
  async acceptItems(
    items: number,
    partner: Partner,
    network: Network,
    config: Config,
    signers: Signers,
  ): Promise<number> {
    const limit = Math.ceil(config.clientMaxWaiting * BULK_SHARE);
    return this.#accept(items, limit, partner, network, config, signers);
  }

  async #accept(
    requests: number,
    limit: number,
    { clientId, gatekeeperNetwork }: Partner,
    network: Network,
    config: Config,
    { signerObject }: Signers,
  ): Promise<number> {
    const counted = this.#find(`${clientId} ${network.network}`);
    const now = Date.now();
    const room = () => Math.max(0, limit - counted.steps - counted.accepted);
    const isOutdated = counted.accepted + requests > ASK_AFTER_REQUESTS;
    if (isOutdated || (room() < requests && now - counted.askedAt >= ASK_EVERY_MS)) {
      const names = signerNamesOf(config, network);
      const counts = Promise.all(
        names.map(async (name) =>
          signerObject(name).countWaiting(clientId, gatekeeperNetwork, config.clientMaxWaiting),
        ),
      );
      const steps = await withTimeout(COUNT_TIMEOUT_MS, counts, undefined).catch((fault) =>
        logFault('signer.waiting_count_failed', fault, { client: clientId }),
      );
      // While a signer does not answer, the previous count stays in force.
      Object.assign(counted, { accepted: 0, askedAt: now, ...(steps && { steps: sumOf(steps) }) });
    }
    const accepted = Math.min(requests, room());
    counted.accepted += accepted;
    return accepted;
  }

  #find(name: string): Counted {
    const known = this.#counted.get(name);
    if (known !== undefined) return known;
    if (this.#counted.size >= REMEMBERED_MAX) this.#counted.clear();
    const counted = { steps: 0, askedAt: 0, accepted: 0 };
    this.#counted.set(name, counted);
    return counted;
  }
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
