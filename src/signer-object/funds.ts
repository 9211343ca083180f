import { type PassCost, passCostOf, passesFor } from '../chain/pass-cost.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import { unusedWallet } from '../network/wallet.ts';
import type { PassKey } from '../pass/pass.ts';
import { rankOf } from '../pass/step-kinds.ts';
import type { Signer } from './signer.ts';

/** The funds of a signer as its nodes last showed them. */
export interface Funds {
  /** In the chain's smallest unit, as a decimal number. */
  readonly balance: string;
  /** How many issuances the balance pays for at their current maximum cost; null: the cost is unknown. */
  readonly passesLeft: number | null;
  /** When they were read: Unix milliseconds. */
  readonly at: number;
}

/** The metrics show no older funds. */
const FUNDS_MAX_AGE_MS = 5 * 60_000;
/** A scrape reads older funds again. */
const REFRESH_AFTER_MS = 30_000;
const READ_TIMEOUT_MS = 30_000;

/** The funds that the metrics show. It never waits for a node: a read that the metrics start serves the next ones. */
export class KnownFunds {
  #isReading = false;

  /** Returns the funds that were last read, if that is recent. Begins to read them again if they are not new. */
  recent(signer: Signer, now: number): Funds | undefined {
    const known = signer.storage.kv.get<Funds>('funds');
    const age = now - (known?.at ?? -Infinity);
    if (age >= REFRESH_AFTER_MS && !this.#isReading) void this.#refresh(signer);
    return age <= FUNDS_MAX_AGE_MS ? known : undefined;
  }

  async #refresh(signer: Signer): Promise<void> {
    this.#isReading = true;
    try {
      const funds = await withTimeout(READ_TIMEOUT_MS, readFunds(signer), undefined);
      if (funds !== undefined) signer.storage.kv.put('funds', funds);
    } catch (fault) {
      logFault('signer.account_unread', fault, { signer: signer.name });
    } finally {
      this.#isReading = false;
    }
  }
}

async function readFunds(signer: Signer): Promise<Funds> {
  const [{ balance }, cost] = await Promise.all([signer.chain.account(), maxPassCost(signer)]);
  return { balance: balance.toString(), passesLeft: passesFor(balance, cost), at: Date.now() };
}

/**
 * Returns the current maximum cost of an issuance. It simulates one for a wallet that nobody holds, in the gatekeeper network
 * of the newest step, and signs nothing. Throws RpcFault if the nodes do not answer.
 */
export async function maxPassCost({ storage, chain, network, isCompromised }: Signer): Promise<PassCost> {
  const query = `SELECT coalesce((SELECT gatekeeper_network FROM step ORDER BY seq DESC LIMIT 1),
    (SELECT gatekeeper_network FROM lane LIMIT 1)) AS lane`;
  const { lane } = storage.sql.exec<{ lane: GatekeeperNetwork | null }>(query).one();
  if (lane === null || isCompromised) return undefined;
  const wallet = unusedWallet(network.chain);
  const key: PassKey = { gatekeeperNetwork: lane, chain: network.chain, network: network.network, wallet };
  const step = { id: 'cost', kind: 'issue', rank: rankOf('issue'), key } as const;
  const { results } = await chain.prepare([{ step }], 0);
  return passCostOf(
    results.map(([, result]) => result),
    network.chain,
  );
}
