import { networkOf } from '../world/identities.ts';
import type { ChainNetwork, PassKey } from '../world/networks.ts';
import { type Asked, isChange } from '../world/requests.ts';
import type { World } from '../world/world.ts';
import type { Judged } from './passes.ts';

/** The public checks of dApps say what the chain says ("Check a pass in public" of the API, "Changes by others" of the life of a pass). */

interface Verification {
  readonly valid: boolean;
  readonly state: string;
  readonly pending?: true;
  readonly expiryTimestamp?: number;
  /** Unix seconds. */
  readonly asOf: number;
  /** Unix seconds. */
  readonly coveredUntil: number | null;
}

interface Check extends Verification {
  readonly key: PassKey;
  /** Unix milliseconds. */
  readonly answeredAt: number;
}

/** The blocks of a network that come at once have distances. */
const BLOCKS_MS = { sepolia: 0, devnet: 2_000 } as const;
/** How long checks admit a wallet after others have taken access away, and the time to read. */
const LOSS_MAX_MS = { sepolia: 36_000 + 4_000, devnet: 7_000 + 4_000 } as const;
/** The same for a wallet that others have given access: finality, an interval, and the time to read. */
const GAIN_MAX_MS = { sepolia: 36_000 + 24_000 + 10_000, devnet: 15_000 + 5_000 + 6_000 } as const;
/** No log says that removals begin to void tokens, so the watcher asks every hour. */
const RECHECK_MS = 62 * 60_000;
/** The coverage speaks of others. After an outage, D1 gets a change of the service itself within a minute, and a timeout. */
const PUBLISHED_MS = 75_000;
/** Of checks alike, some suffice. */
const CHECKS_MAX = 3;

/** Every check agrees with itself, and with the chain as far as `coveredUntil` and the documented times say. */
export function faultsOfChecks(world: World): string[] {
  const checks = world.requests.asked.flatMap(checkIn);
  return [
    ...checks.flatMap(faultsInCheck).slice(0, CHECKS_MAX),
    ...checks.flatMap((each) => faultsOfCoverage(world, each)).slice(0, CHECKS_MAX),
    ...checks.flatMap((each) => faultsInTime(world, each)).slice(0, CHECKS_MAX),
  ];
}

function checkIn({ path, status, answer, answeredAt = 0 }: Asked): Check[] {
  const [, gatekeeperNetwork = '', network = '', wallet = ''] = /^\/verify\/(\w+)\/\w+\/(\w+)\/(\w+)/.exec(path) ?? [];
  if (status !== 200 || gatekeeperNetwork === '') return [];
  return [
    { ...(answer as Verification), key: { gatekeeperNetwork, network: network as ChainNetwork, wallet }, answeredAt },
  ];
}

function faultsInCheck({
  valid,
  state,
  pending,
  expiryTimestamp,
  asOf,
  coveredUntil,
  answeredAt,
  key,
}: Check): string[] {
  const isExpired = expiryTimestamp !== undefined && expiryTimestamp < asOf;
  const isContradiction = valid && (state !== 'ACTIVE' || pending || isExpired);
  const isOfFuture = asOf * 1_000 > answeredAt || (coveredUntil ?? 0) > asOf;
  return [
    ...(isContradiction ? [`a check of ${key.wallet} on ${key.network} contradicts itself`] : []),
    ...(isOfFuture ? [`a check of ${key.wallet} on ${key.network} is of the future`] : []),
  ];
}

/** A wallet that a check admits was admitted by the chain at some time since the end of the coverage. */
function faultsOfCoverage(world: World, { valid, coveredUntil, key, answeredAt }: Check): string[] {
  if (!valid || coveredUntil === null) return [];
  const { admissions, incidents } = world;
  const { network, wallet } = key;
  // "Until the rebuild is done, it promises too much." Nothing restores removals.
  if (incidents.mayBeRestored(answeredAt) || (incidents.restores.length > 0 && incidents.rolesChanged)) return [];
  if (answeredAt < incidents.outageUntil + PUBLISHED_MS && hasChanged(world, key.gatekeeperNetwork, answeredAt))
    return [];
  if (network === 'sepolia' && incidents.voidings.some((at) => at < answeredAt && at > answeredAt - RECHECK_MS))
    return [];
  const isTrue = admissions.wasAdmitted(key, coveredUntil * 1_000 - BLOCKS_MS[network], answeredAt);
  return isTrue ? [] : [`a check admitted ${wallet} on ${network} at ${answeredAt}, covered until ${coveredUntil}`];
}

/** Whether a client of that gatekeeper network has changed a pass until then (Unix milliseconds). */
const hasChanged = ({ requests }: World, gatekeeperNetwork: string, until: number): boolean =>
  requests.asked.some((each) => isChange(each) && each.at <= until && networkOf(each.client) === gatekeeperNetwork);

/** While nothing fails, a check has the changes of others after the documented times. */
function faultsInTime({ admissions, incidents, crashes, deployment, idleTime }: World, check: Check): string[] {
  const { key, valid, answeredAt } = check;
  const { network, wallet } = key;
  // Removed gatekeepers, and keys that come later, have times of their own.
  const hasFaults = incidents.rolesChanged || crashes.hasCrashed || deployment.keysChanged || incidents.hasLostIndex;
  const { begun = Number.POSITIVE_INFINITY } = idleTime ?? {};
  const loss = answeredAt - LOSS_MAX_MS[network];
  const gain = answeredAt - GAIN_MAX_MS[network];
  const isLate = valid && loss > begun && !admissions.wasAdmitted(key, loss, answeredAt);
  const isRefused = !valid && gain > begun && admissions.wasAdmittedThroughout(key, gain, answeredAt);
  if (hasFaults) return [];
  return [
    ...(isLate
      ? [`a check admits ${wallet} on ${network} long after its loss, while nothing fails (${answeredAt})`]
      : []),
    ...(isRefused
      ? [`a check refuses ${wallet} on ${network}, which the chain admits, while nothing fails (${answeredAt})`]
      : []),
  ];
}

/** At the end, checks say what the chain says. */
export async function faultsOfLastChecks(world: World, judged: readonly Judged[]): Promise<string[]> {
  const faults: string[] = [];
  for (const key of judged) {
    const asked = world.requests.verify(key);
    await world.requests.awaitAnswer(asked);
    const { valid } = (asked.answer ?? {}) as Verification;
    const isAdmitted = world.admissions.isAdmitted(key);
    if (asked.status === 200 && valid !== isAdmitted)
      faults.push(`the last check of ${key.wallet} on ${key.network} says ${valid}, and the chain ${isAdmitted}`);
  }
  return faults;
}
