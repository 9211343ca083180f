import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../terminal/failure.ts';
import { freshWallet } from '../../localnet/partner/fresh-wallet.ts';
import { type Caller, CONNECTIONS_COUNT, type Request } from '../load.ts';
import { CHAINS, type SettlementNetwork } from './localnet.ts';
import type { Service } from './service.ts';

const POLL_INTERVAL_MS = 50;
const TIMEOUT_MS = 120_000;

export interface Issued {
  /** Seconds from the first POST to the last ACTIVE record. */
  readonly seconds: number;
  /** Seconds until the last POST was answered, as a part of those. */
  readonly acceptedSeconds: number;
}

interface Options {
  readonly connections?: number;
  /** Sends no message before all are accepted. The Worker must be the one that can hold messages back. */
  readonly atOnce?: boolean;
  /** Expiry of the passes (Unix seconds). */
  readonly expiryTimestamp?: number | undefined;
}

/** Returns requests that issue passes to `count` unused wallets. */
export function issuanceRequests(
  network: SettlementNetwork,
  count: number,
  { headers }: Pick<Service, 'headers'>,
  expiryTimestamp?: number,
): Request[] {
  const path = `/pass/${CHAINS[network]}/${network}`;
  return Array.from({ length: count }, () => {
    return {
      method: 'POST',
      path,
      headers,
      body: JSON.stringify({ walletAddress: freshWallet(network), expiryTimestamp }),
    };
  });
}

/** Issues passes from another process, and waits until each is ACTIVE. Throws Failure if one does not become ACTIVE. */
export async function issueAll(
  service: Service,
  caller: Caller,
  network: SettlementNetwork,
  count: number,
  { connections = CONNECTIONS_COUNT, atOnce = false, expiryTimestamp }: Options = {},
): Promise<Issued> {
  const before = await countActive(service, network);
  const requests = issuanceRequests(network, count, service, expiryTimestamp);
  const tell = async (what: string) => {
    if (!atOnce) return;
    const { ok } = await fetch(`${service.baseUrl}/__queue/${what}`, { method: 'POST' });
    if (!ok) throw new Failure(`${network}: the queue did not take what was held back`);
  };
  await tell('hold');
  const begun = performance.now();
  await caller.send({ url: service.baseUrl, requests, connections });
  const accepted = performance.now();
  await tell('release');
  while (await isAnyRequested(service)) {
    if (performance.now() - begun > TIMEOUT_MS) {
      throw new Failure(`${network}: after ${TIMEOUT_MS / 1000} s there are passes that are not ACTIVE`);
    }
    await sleep(POLL_INTERVAL_MS);
  }
  const ended = performance.now();
  const active = (await countActive(service, network)) - before;
  if (active !== count) throw new Failure(`${network}: of ${count} passes ${active} are ACTIVE`);
  return { seconds: (ended - begun) / 1000, acceptedSeconds: (accepted - begun) / 1000 };
}

/** Reads one row of the read model, so that polling does not slow the service. */
async function isAnyRequested({ client }: Service): Promise<boolean> {
  return (await client.search({ limit: 1, filter: { state: 'REQUESTED' } })).length > 0;
}

async function countActive({ database }: Service, network: SettlementNetwork): Promise<number> {
  const query = "SELECT count(*) AS n FROM passes WHERE network = ? AND state = 'ACTIVE'";
  return (await (await database()).prepare(query).bind(network).first<number>('n')) ?? 0;
}
