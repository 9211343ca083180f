import type { Hex } from 'viem';
import { readRows } from '../world/database.ts';
import type { ChainNetwork } from '../world/networks.ts';
import type { World } from '../world/world.ts';
import { METRICS } from './operator.ts';
import type { ShownPass } from './passes-asked.ts';

/** The pages of the operator say what is so (docs/operators/admin-api.md, docs/operators/metrics.md): at rest, nothing waits. */

interface ShownSigner {
  readonly network: ChainNetwork;
  readonly address: string;
  readonly compromised: boolean;
  readonly balance?: string | null;
  readonly nextNonce?: number | null;
  readonly waiting?: number;
  readonly waitingByRank?: readonly number[];
  readonly inFlight?: { readonly unsent: number; readonly sent: number };
  readonly oldestPending?: object | null;
  readonly lanes?: readonly { readonly waiting: number }[];
}

export async function faultsOfStatus(world: World): Promise<string[]> {
  const { status, answer } = await world.requests.repeatedAnswerTo('operator', 'GET', '/admin/signers');
  if (status !== 200) return [`the operator gets ${status} instead of the signers`];
  const { signers } = answer as { readonly signers: readonly ShownSigner[] };
  return [...signers.flatMap((each) => faultsOfSigner(world, each)), ...faultsOfTotals(world)];
}

function faultsOfSigner({ chains, networks }: World, shown: ShownSigner): string[] {
  const {
    network,
    address,
    balance,
    nextNonce,
    waiting,
    waitingByRank = [],
    inFlight,
    oldestPending,
    lanes = [],
  } = shown;
  // A signer that does not answer shows nothing of it.
  if (!networks.includes(network) || waiting === undefined) return [];
  const name = `the signer ${address} on ${network}`;
  const counts = [waiting, ...waitingByRank, ...lanes.map((lane) => lane.waiting), inFlight?.unsent, inFlight?.sent];
  const isIdle = counts.every((count) => count === 0) && oldestPending === null;
  const { sepolia } = chains;
  const nonce = network === 'sepolia' ? sepolia.nonceOf(address as Hex) : undefined;
  const funds = network === 'sepolia' ? String(sepolia.balanceOf(address as Hex)) : undefined;
  return [
    ...(isIdle ? [] : [`${name} shows work at rest: ${JSON.stringify([counts, oldestPending])}`]),
    ...(nonce !== undefined && nextNonce !== null && nextNonce !== nonce
      ? [`${name} shows the next nonce ${nextNonce}, and the chain ${nonce}`]
      : []),
    ...(funds !== undefined && balance !== null && balance !== funds
      ? [`${name} shows the balance ${balance}, and the chain ${funds}`]
      : []),
  ];
}

/** Without reorgs and lost stores, each issued pass counts once. Where somebody reads the metrics: they ask everything. */
function faultsOfTotals({ platform, requests, incidents, networks }: World): string[] {
  if (incidents.hasReorged || incidents.hasLostStore) return [];
  const { answer } = requests.asked.findLast(({ path, status }) => path === METRICS && status === 200) ?? {};
  if (answer === undefined) return [];
  const lines = String(answer).split('\n');
  const records = readRows(platform, 'SELECT record FROM passes').map(
    ({ record }) => JSON.parse(String(record)) as ShownPass,
  );
  return networks.flatMap((network) => {
    const shown = lines
      .filter((line) => line.startsWith(`gatepass_passes_issued_total{network="${network}"`))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
    const issued = records
      .filter(({ chain }) => chain.network === network)
      .flatMap(({ events }) => events)
      .filter(
        ({ eventType, transaction, byOthers }) => eventType === 'TOKEN_ISSUED' && transaction && !byOthers,
      ).length;
    return shown === issued
      ? []
      : [`the metrics count ${shown} issued passes on ${network}, and the records ${issued}`];
  });
}
