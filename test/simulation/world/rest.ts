import { callData } from '../ethereum/gateway-contract.ts';
import { coveragesOf, hasNewestVersions, readRows } from './database.ts';
import { ADMITTED_GATEKEEPERS, AUTHORITY, contractOf, slotIn } from './gatekeepers.ts';
import { CLIENTS } from './identities.ts';
import { IdleTime } from './idle-time.ts';
import { endOperatorsMeasures, redriveHeldSteps } from './measures.ts';
import { HOURLY, NIGHTLY, runSchedule } from './schedules.ts';
import { LOOK_SECONDS, type World } from './world.ts';

/** The time after the steps of a world, without faults. */

const REORG_SEEN_SECONDS = 60;
/** A change by others shows when it is final, and has been read since. */
const OTHERS_SEEN_MS = 75_000;
/** How long a world rests at most, and which schedule runs before. */
const PARTS: readonly { readonly cron?: string; readonly minutes: number }[] = [
  { minutes: 2 },
  { cron: HOURLY, minutes: 10 },
  { cron: NIGHTLY, minutes: 10 },
  { minutes: 120 },
];
/** A price of gas (wei) at which the Worker sends transactions. */
const PRICE_MAX = 50n * 10n ** 9n;
/** Number of keys that have any key of an earlier deployment. */
const ALL_KEYS = 3;
/** The coverage is as new as it can be by then. */
const CAUGHT_UP_SECONDS = 60;
/** How much time passes at once while requests settle. */
const SETTLED_LOOK_SECONDS = 5;
/** How often dApps check a wallet in the idle time. */
const IDLE_CHECKS = 30;

/**
 * Ends all faults and all suspensions, and lets time pass until no work is left, or some hours have passed.
 * @param isDone Whether nothing is left to tell and to send.
 * @returns The work that is left then; empty: none.
 */
export async function rest(world: World, isDone: () => boolean): Promise<string[]> {
  const { incidents } = world;
  endFaults(world);
  if (world.deployment.keysChanged) world.deployment.deployKeys(ALL_KEYS);
  await endOperatorsMeasures(world);
  if (incidents.rolesChanged) readmitGatekeepers(world);
  // A request to suspend may still be on its way, and a signer looks for a reorg again only after some blocks.
  for (let passed = 0; incidents.hasReorged && passed < REORG_SEEN_SECONDS; passed += LOOK_SECONDS)
    await world.pass(LOOK_SECONDS);
  if (incidents.hasSuspended) await world.pass(LOOK_SECONDS);
  // The next block has the changes that wait now.
  const begun = world.now + (incidents.hasOthers() ? OTHERS_SEEN_MS : 0);
  for (const { id } of incidents.hasSuspended ? CLIENTS : [])
    await world.requests.answerTo('operator', 'PATCH', `/admin/partners/${id}`, { status: 'active' });
  for (const { cron, minutes } of PARTS) {
    // It would run by itself, some hours of simulated time later.
    if (cron !== undefined) runSchedule(world.platform, cron);
    if (cron !== undefined && incidents.hasUsedKey) redriveHeldSteps(world);
    const end = world.now + minutes * 60_000;
    do {
      await world.pass(LOOK_SECONDS);
      world.requests.verifyNext(world.networks);
    } while (!(isSettled(world, begun) && isDone()) && world.now < end);
    if (isSettled(world, begun) && isDone()) return [];
  }
  return isSettled(world, begun) ? [] : ['work is left after hours without faults'];
}

/**
 * Lets time pass until requests are answered, and no work is left. Returns the seconds that it took; undefined: more than that many.
 * @param begun When the first of the requests was sent (Unix milliseconds).
 */
export async function settle(
  world: World,
  begun: number,
  isDone: () => boolean,
  maxSeconds: number,
): Promise<number | undefined> {
  const from = world.now;
  const secondsPassed = () => (world.now - from) / 1_000;
  const isAnswered = () =>
    world.requests.asked.every(({ at, status, isLost }) => at < begun || status !== undefined || isLost === true);
  while (secondsPassed() < maxSeconds) {
    await world.pass(SETTLED_LOOK_SECONDS);
    if (isAnswered() && isDone() && isSettled(world, 0)) return secondsPassed();
  }
  return undefined;
}

function endFaults({ weather, crashes, receivers, networks, endpoints, chains, kms }: World): void {
  weather.clear();
  kms.fault = undefined;
  crashes.cancel();
  receivers.healAll();
  if (chains.sepolia.baseFee > PRICE_MAX) chains.sepolia.baseFee = PRICE_MAX;
  for (const network of networks) {
    endpoints.heal(network);
    chains.room[network] = Number.POSITIVE_INFINITY;
  }
}

/** The authorities admit the gatekeepers again that they have removed. */
function readmitGatekeepers({ chains: { sepolia } }: World): void {
  for (const { gatekeeperNetwork } of CLIENTS)
    for (const gatekeeper of ADMITTED_GATEKEEPERS.ethereum)
      sepolia.byOthers(
        AUTHORITY,
        contractOf(gatekeeperNetwork),
        callData('addGatekeeper', gatekeeper, slotIn(gatekeeperNetwork)),
      );
}

/** Whether every pass has its state on chain, no transaction waits, and the watchers have seen the chain of that time (Unix milliseconds). */
function isSettled({ platform, chains, receivers }: World, since: number): boolean {
  if (receivers.hooks.some((hook) => receivers.missingIn(hook).length > 0)) return false;
  if (coveragesOf(platform).some((until) => until * 1_000 <= since) || !hasNewestVersions(platform)) return false;
  const [unsettled] = readRows(platform, 'SELECT count(*) AS n FROM unsettled');
  const isOpen = readRows(platform, 'SELECT record FROM passes').some(({ record }) => {
    const { state, onChainState, events } = JSON.parse(String(record));
    const sent = events.some((event: { transaction?: { status: string } }) => event.transaction?.status === 'sent');
    return (
      sent || (state !== onChainState && !(state === 'REVOKED' && onChainState === 'NONE') && state !== 'REJECTED')
    );
  });
  return (
    unsettled?.n === 0 &&
    !isOpen &&
    platform.queues.passes.length + platform.queues.bulk.length === 0 &&
    chains.sepolia.waiting.length === 0
  );
}

/** After the rest, takes steps, lets that many seconds pass, and observes the Worker meanwhile. */
export async function passIdleTime(world: World, seconds: number, takeSteps: () => Promise<void>): Promise<void> {
  await world.pass(CAUGHT_UP_SECONDS);
  const idle = new IdleTime(world.platform);
  world.idleTime = idle;
  await takeSteps();
  const activity = () => ({ alarms: new Map(world.alarms.counts), requests: world.endpoints.requests });
  const before = activity();
  for (const end = world.now + seconds * 1_000; world.now < end; ) {
    await world.pass(Math.max(LOOK_SECONDS, seconds / IDLE_CHECKS));
    world.requests.verifyNext(world.networks);
  }
  idle.noteActivity(before, activity(), seconds);
}
