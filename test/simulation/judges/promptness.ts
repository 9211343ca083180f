import { OLD_VARIABLES_MS } from '../world/deployment.ts';
import type { Asked } from '../world/requests.ts';
import type { World } from '../world/world.ts';
import { type AskedPass, passesAsked, type ShownPass } from './passes-asked.ts';

/** While nothing fails, requests are answered at once, and changes reach the chain in the documented times. */

/** On sepolia, a change waits for the final issuance of its token, so two transactions take three blocks each, and some intervals. */
const SETTLED_MAX_SECONDS = { sepolia: 100, devnet: 45 } as const;
/** An object that has crashed is called again by the alarm of another one, a minute later (docs/reliability.md). */
const CRASHED_SECONDS = 90;
/** Objects get the variables of a deployment some minutes later, and crash then. */
const DEPLOYED_SECONDS = OLD_VARIABLES_MS / 1_000;
const ANSWERED_MAX_MS = 1_000;
/** Blocks are final by then. */
const FINAL_MS = 60_000;
/** The KMS of a world takes four seconds at most. */
const SENT_MAX_MS = 5_000;

const hasCrashes = (kinds: readonly string[]): boolean => kinds.some((name) => name.startsWith('crash'));
/** Whether a deployment may still restart objects. */
const isDeploying = ({ deployment }: World): boolean =>
  deployment.keysChanged || deployment.settingsChanged || deployment.emergencies.length > 0;

/**
 * Returns the number of seconds after which everything is settled.
 * @param kinds The kinds of the steps before.
 */
export const settledMaxSeconds = (world: World, kinds: readonly string[]): number =>
  Math.max(...world.networks.map((network) => SETTLED_MAX_SECONDS[network])) +
  (hasCrashes(kinds) ? CRASHED_SECONDS : 0) +
  (isDeploying(world) ? DEPLOYED_SECONDS : 0);

/**
 * Returns what came late since that time (Unix milliseconds).
 * @param kinds The kinds of the steps since then.
 */
export function faultsOfPromptness(world: World, kinds: readonly string[], begun: number): string[] {
  if (hasCrashes(kinds) || isDeploying(world)) return [];
  const asked = world.requests.asked.filter(({ at }) => at >= begun);
  return [...asked.flatMap(lateAnswer), ...lateSteps(world, passesAsked(asked), begun)];
}

function lateAnswer({
  client,
  method,
  path,
  status,
  answer,
  at,
  answeredAt = at,
  options: { waits },
}: Asked): string[] {
  const words = `${client} gets ${status} from ${method} ${path.split('/', 2).join('/')}`;
  return [
    ...(status === undefined || status >= 500 ? [`${words} while nothing fails (${JSON.stringify(answer)})`] : []),
    ...(waits === undefined && answeredAt - at > ANSWERED_MAX_MS ? [`${words} after ${answeredAt - at} ms`] : []),
  ];
}

/** The transaction of a single change leaves at once. It may have to wait for others, and on Ethereum-type chains for a final token. */
function lateSteps({ transactions, endpoints }: World, changes: readonly AskedPass[], begun: number): string[] {
  const [{ record, state, asked } = {} as Partial<AskedPass>, ...others] = changes;
  if (others.length > 0 || !record || !asked || state === undefined || !isWanted(record)) return [];
  const isNew = record.events.some(
    ({ timestamp }) => timestamp * 1_000 > begun - FINAL_MS && timestamp * 1_000 < begun,
  );
  if (isNew) return [];
  const own = transactions.sent.filter(({ step, signedAt }) => step?.id.startsWith(record.id) && signedAt >= begun);
  const sentAt = Math.min(...own.map(({ id }) => endpoints.sentAt.get(id) ?? Number.POSITIVE_INFINITY));
  return sentAt - asked.at > SENT_MAX_MS
    ? [`the transaction of a change to ${state} leaves ${sentAt - asked.at} ms after its request`]
    : [];
}

/** Whether the chain has another state than the partner wants. */
const isWanted = ({ state, onChainState }: ShownPass): boolean =>
  ['ACTIVE', 'FROZEN'].includes(onChainState) && state !== onChainState;
