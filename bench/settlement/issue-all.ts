import { setTimeout as sleep } from 'node:timers/promises';
import { freshWallet } from '../../localnet/partner/fresh-wallet.ts';
import { Failure } from '../../scripts/failure.ts';
import { type Caller, CONNECTIONS_COUNT, type Request } from '../load.ts';
import { CHAINS, type SettlementNetwork } from './localnet.ts';
import type { Service } from './service.ts';

const POLL_INTERVAL_MS = 50;
const TIMEOUT_MS = 120_000;

export interface Issued {
  /** From the first POST to the last pass ACTIVE, as the record says. */
  readonly seconds: number;
  /** Of these, until the last POST was answered. */
  readonly acceptedSeconds: number;
}

interface Options {
  readonly connections?: number;
  /** No message goes out before all are accepted: the Worker must be the one that can hold them back. */
  readonly atOnce?: boolean;
}

/** Requests that issue passes to so many wallets nobody has used. */
export function issuanceRequests(network: SettlementNetwork, count: number, { headers }: Service): Request[] {
  const path = `/pass/${CHAINS[network]}/${network}`;
  return Array.from({ length: count }, () => {
    return { method: 'POST', path, headers, body: JSON.stringify({ walletAddress: freshWallet(network) }) };
  });
}

/** Issues passes, from another process, and waits until each is ACTIVE. Throws Failure when one never is. */
export async function issueAll(
  service: Service,
  caller: Caller,
  network: SettlementNetwork,
  count: number,
  { connections = CONNECTIONS_COUNT, atOnce = false }: Options = {},
): Promise<Issued> {
  const before = await countActive(service, network);
  const requests = issuanceRequests(network, count, service);
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

/** One row of the read model: looking does not slow what is looked at. */
async function isAnyRequested({ client }: Service): Promise<boolean> {
  return (await client.search({ limit: 1, filter: { state: 'REQUESTED' } })).length > 0;
}

async function countActive({ database }: Service, network: SettlementNetwork): Promise<number> {
  const query = "SELECT count(*) AS n FROM passes WHERE network = ? AND state = 'ACTIVE'";
  return (await (await database()).prepare(query).bind(network).first<number>('n')) ?? 0;
}
