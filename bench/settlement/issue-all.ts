import { setTimeout as sleep } from 'node:timers/promises';
import { freshWallet } from '../../localnet/partner/fresh-wallet.ts';
import { Failure } from '../../scripts/failure.ts';
import { type Caller, CONNECTIONS, type Request } from '../load.ts';
import { CHAINS, type SettledOn } from './localnet.ts';
import type { Service } from './service.ts';

const LOOK_MS = 50;
const WITHIN_MS = 120_000;

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
export function issuances(network: SettledOn, count: number, { headers }: Service): Request[] {
  const path = `/pass/${CHAINS[network]}/${network}`;
  return Array.from({ length: count }, () => {
    return { method: 'POST', path, headers, body: JSON.stringify({ walletAddress: freshWallet(network) }) };
  });
}

/** Issues passes, from another process, and waits until each is ACTIVE. Throws Failure when one never is. */
export async function issueAll(
  service: Service,
  caller: Caller,
  network: SettledOn,
  count: number,
  { connections = CONNECTIONS, atOnce = false }: Options = {},
): Promise<Issued> {
  const before = await activeIn(service, network);
  const requests = issuances(network, count, service);
  const tell = async (what: string) => {
    if (!atOnce) return;
    const { ok } = await fetch(`${service.baseUrl}/__looks/${what}`, { method: 'POST' });
    if (!ok) throw new Failure(`${network}: the queue did not take what was held back`);
  };
  await tell('hold');
  const begun = performance.now();
  await caller.send({ url: service.baseUrl, requests, connections });
  const accepted = performance.now();
  await tell('release');
  while (await isAnyRequested(service)) {
    if (performance.now() - begun > WITHIN_MS) {
      throw new Failure(`${network}: after ${WITHIN_MS / 1000} s there are passes that are not ACTIVE`);
    }
    await sleep(LOOK_MS);
  }
  const ended = performance.now();
  const active = (await activeIn(service, network)) - before;
  if (active !== count) throw new Failure(`${network}: of ${count} passes ${active} are ACTIVE`);
  return { seconds: (ended - begun) / 1000, acceptedSeconds: (accepted - begun) / 1000 };
}

/** One row of the read model: looking does not slow what is looked at. */
async function isAnyRequested({ client }: Service): Promise<boolean> {
  return (await client.search({ limit: 1, filter: { state: 'REQUESTED' } })).length > 0;
}

async function activeIn({ database }: Service, network: SettledOn): Promise<number> {
  const query = "SELECT count(*) AS n FROM passes WHERE network = ? AND state = 'ACTIVE'";
  return (await (await database()).prepare(query).bind(network).first<number>('n')) ?? 0;
}
