import { tokensOf } from '../world/chains.ts';
import { clientAt } from '../world/identities.ts';
import { CHAIN_OF, type PassKey, WALLETS } from '../world/networks.ts';
import { NIGHTLY, runSchedule } from '../world/schedules.ts';
import type { World } from '../world/world.ts';
import type { ShownPass } from './passes-asked.ts';

/** Each pass has its outcome: its record and its token on chain agree. */

export interface Judged extends PassKey {
  /** The pass as its partner sees it. */
  readonly pass: ShownPass;
}

const STATES = ['ACTIVE', 'FROZEN', 'REVOKED'] as const;

/** Returns the state of each token of the wallet, as the chain has it. */
const statesOnChain = ({ chains }: World, key: PassKey): string[] =>
  tokensOf(chains, key).map(({ state }) => STATES[state] ?? 'unknown');

/** Fetches the pass of every wallet about which a client has asked, as its partner sees it. */
export async function readPasses(world: World): Promise<Judged[]> {
  const found: Judged[] = [];
  for (const { id, gatekeeperNetwork } of [clientAt(0), clientAt(2)])
    for (const network of world.networks)
      for (const wallet of WALLETS[network]) {
        const key = { gatekeeperNetwork, network, wallet };
        if (!world.admissions.isWatched(key)) continue;
        const path = `/pass/${CHAIN_OF[network]}/${network}/${wallet}`;
        const { status, answer } = await world.requests.repeatedAnswerTo(id, 'GET', path);
        if (status === 200) found.push({ ...key, pass: answer as ShownPass });
      }
  return found;
}

/** An alarm that is that late counts as lost. */
const LOST_ALARM_SECONDS = 150;

/**
 * A pass may be left requested if its request got no answer, and the platform has lost its alarm before it had a row. A fetch gives it its
 * row, and the nightly schedule looks after all rows.
 */
export async function readPassesAtLast(world: World): Promise<Judged[]> {
  const judged = await readPasses(world);
  if (judged.every(({ pass }) => pass.state !== 'REQUESTED')) return judged;
  await world.pass(LOST_ALARM_SECONDS);
  runSchedule(world.platform, NIGHTLY);
  await world.pass(LOST_ALARM_SECONDS);
  return readPasses(world);
}

/** The pass has at most one token, no transaction is open, and the record has the state of the chain unless others changed it. */
export function faultsOfPass(world: World, judged: Judged): string[] {
  const { pass, network, wallet } = judged;
  const name = `the pass of ${wallet} on ${network}`;
  const states = statesOnChain(world, judged);
  const byOthers = world.incidents.hasOthers(judged);
  const open = pass.events.filter(({ transaction }) => transaction?.status === 'sent');
  return [
    ...(states.length > 1 ? [`${name} has ${states.length} tokens`] : []),
    ...(open.length > 0 ? [`${name} has a transaction without an end`] : []),
    ...(pass.state === 'REQUESTED' ? [`${name} is never issued`] : []),
    ...(!byOthers && (states[0] ?? 'NONE') !== pass.onChainState
      ? [`${name} is ${pass.onChainState} in the record and ${states[0] ?? 'NONE'} on chain`]
      : []),
    ...(pass.state === 'REVOKED' && states.some((state) => state !== 'REVOKED')
      ? [`${name} is revoked in the record only`]
      : []),
  ];
}

/** The record has the state of the chain, whoever has changed it. */
export function faultsOfHolding(world: World, judged: Judged): string[] {
  const { pass, network, wallet } = judged;
  const [state = 'NONE'] = statesOnChain(world, judged);
  return state === pass.onChainState
    ? []
    : [`the pass of ${wallet} on ${network} is ${pass.onChainState} in the record and ${state} on chain`];
}
