import type { Config } from '../config/config.ts';
import { signerNamesFor } from '../config/signers.ts';
import type { Milliseconds } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { Network, SignerName } from '../network/network.ts';
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

/** The newest count of one signer. */
interface SignerCount {
  /** Number of unsigned steps of the client. */
  readonly steps: number;
  /** `accepted` when the signer was asked. Later requests are added to the steps. */
  readonly acceptedBefore: number;
  /** `asked` when the signer was asked. An older answer that arrives late does not count. */
  readonly asked: number;
}

/** The knowledge of one isolate about a client on a network. */
interface Counted {
  /** While a signer does not answer, its last count stays in force. */
  readonly signers: Map<SignerName, SignerCount>;
  /** Number of requests that this isolate has accepted. */
  accepted: number;
  /** Number of times that the signers were asked. */
  asked: number;
  askedAt: Milliseconds;
  /** `accepted` when the signers were last asked. */
  acceptedWhenAsked: number;
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
    const names = signerNamesFor(gatekeeperNetwork, config, network);
    const isOutdated = counted.accepted - counted.acceptedWhenAsked + requests > ASK_AFTER_REQUESTS;
    const isFull = roomIn(counted, names, limit) < requests;
    if (isOutdated || (isFull && Date.now() - counted.askedAt >= ASK_EVERY_MS)) {
      await askSigners(counted, names, clientId, async (name) =>
        signerObject(name).countWaitingSteps(clientId, gatekeeperNetwork, config.clientMaxWaiting),
      );
    }
    const accepted = Math.min(requests, roomIn(counted, names, limit));
    counted.accepted += accepted;
    return accepted;
  }

  #find(name: string): Counted {
    const none = { signers: new Map(), accepted: 0, asked: 0, askedAt: 0, acceptedWhenAsked: 0 };
    const counted = this.#counted.get(name) ?? none;
    // Insert it as the newest entry; the oldest one makes room.
    this.#counted.delete(name);
    this.#counted.set(name, counted);
    const [oldest] = this.#counted.keys();
    if (this.#counted.size > REMEMBERED_MAX && oldest !== undefined) this.#counted.delete(oldest);
    return counted;
  }
}

/** Replaces the counts of the signers that answer. */
async function askSigners(
  counted: Counted,
  names: readonly SignerName[],
  client: string,
  countAt: (name: SignerName) => Promise<number>,
): Promise<void> {
  counted.asked += 1;
  counted.askedAt = Date.now();
  counted.acceptedWhenAsked = counted.accepted;
  const { asked, accepted: acceptedBefore } = counted;
  const answers = names.map(async (name) => {
    try {
      const steps = await within(COUNT_TIMEOUT_MS, countAt(name), 'the signer');
      if (asked > (counted.signers.get(name)?.asked ?? 0)) counted.signers.set(name, { steps, acceptedBefore, asked });
    } catch (fault) {
      logFault('signer.waiting_count_failed', fault, { signer: name, client });
    }
  });
  await Promise.all(answers);
}

/**
 * Returns how many requests fit. A request that was accepted since the last count of a signer may wait at that signer, so the
 * oldest count decides which requests are added.
 */
function roomIn({ signers, accepted }: Counted, names: readonly SignerName[], limit: number): number {
  const counts = names.map((name) => signers.get(name) ?? { steps: 0, acceptedBefore: 0 });
  const steps = counts.reduce((sum, count) => sum + count.steps, 0);
  const added = accepted - Math.min(accepted, ...counts.map(({ acceptedBefore }) => acceptedBefore));
  return Math.max(0, limit - steps - added);
}
