import { setTimeout as sleep } from 'node:timers/promises';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import { isSettled } from '../../../tools/localnet/partner/settlement.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { readToken } from '../../../tools/localnet/witness/on-chain-token.ts';
import { type Difference, hasExpiryOf } from './compare-passes.ts';
import { mapInParallel } from './map-in-parallel.ts';
import type { ModelClient } from './model-client.ts';
import { gatekeeperNetworkOf, nameOf, type TestedPass } from './tested-pass.ts';

/** Waits until every pass is settled, at most `withinMs`. Resolves to the unsettled passes and to the time of the wait. */
export async function awaitSettled(
  passes: readonly TestedPass[],
  modelClient: ModelClient,
  facts: LocalnetFacts,
  withinMs: number,
): Promise<{ readonly unsettled: readonly Difference[]; readonly ms: number }> {
  const since = Date.now();
  for (let left: readonly TestedPass[] = passes; ; await sleep(500)) {
    const open = (await mapInParallel(left, (pass) => findUnsettled(pass, modelClient, facts))).flat();
    left = open.map(({ pass }) => pass);
    const ms = Date.now() - since;
    if (open.length === 0 || ms > withinMs) return { ms, unsettled: open.map(({ difference }) => difference) };
  }
}

/** Resolves to an empty list if the pass is settled or does not exist. */
async function findUnsettled(
  pass: TestedPass,
  modelClient: ModelClient,
  facts: LocalnetFacts,
): Promise<{ pass: TestedPass; difference: Difference }[]> {
  const record = await modelClient.recordOf(pass).catch(() => 'no answer' as const);
  if (record === undefined) return [];
  if (record !== 'no answer' && isSettled(record) && (await hasItsExpiry(pass, record, facts))) return [];
  return [{ pass, difference: { type: 'unsettled', description: `${nameOf(pass)}: ${JSON.stringify(record)}` } }];
}

/** Whether the token has the expiry of the record. The record does not show that an expiry change is still open. */
async function hasItsExpiry(pass: TestedPass, record: PassRecord, facts: LocalnetFacts): Promise<boolean> {
  const gatekeeperNetwork = gatekeeperNetworkOf(pass, facts);
  return hasExpiryOf(record, await readToken(facts.rpc[pass.network] ?? '', pass.wallet, gatekeeperNetwork));
}
