import { randomBytes } from 'node:crypto';
import type { Hex } from 'viem';
import { ETHEREUM_ERRORS } from '../../src/chain/ethereum/node-answers.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';
import { needsAnother, type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import { slotOf } from '../../src/network/slot.ts';
import { checksumAddress } from '../../src/network/wallet.ts';
import { Failure } from '../../terminal/failure.ts';
import { printError } from '../../terminal/print.ts';
import { openNodes } from '../nodes/open-nodes.ts';
import { adapterCreationOf, readAdapterBuild } from './adapter-build.ts';
import type { AdapterCommand } from './adapter-command.ts';
import { type AdapterSettings, constructorValuesOf, KINDS, questionsOf } from './adapter-kinds.ts';
import {
  type DeploymentTarget,
  demandCode,
  type EthereumNodes,
  openDeployment,
  planDeployment,
} from './contract-deployment.ts';
import { openEthereumGateway } from './ethereum-gateway.ts';
import { makeDeployments, openOnEthereum } from './make-deployments.ts';
import { demandMainnetFlag, onEach, tell as tellPlainly } from './targets.ts';
import { countWitnesses, tellWitnesses } from './verify-deployment.ts';

/** A contract that the nodes of a network show, with the values that its users enter. */
export interface DeployedAdapter extends AdapterSettings {
  readonly network: string;
  readonly contract: Hex;
  /** The number of endpoints that showed the contract. */
  readonly endpoints: number;
}

interface AdapterTarget extends DeploymentTarget {
  readonly contract: Hex;
  readonly settings: AdapterSettings;
}

/**
 * Creates the contract on all named networks where it is missing, and verifies it on each; or writes the calls. Returns undefined if
 * it only writes calls, or only says what it would send. Throws Failure before the first transaction if one is impossible.
 * @param report Records the command before its first transaction.
 */
export async function deployAdapters(
  command: AdapterCommand,
  report: () => Promise<void> | undefined,
): Promise<DeployedAdapter[] | undefined> {
  const { adapter, ownerWithoutCode } = command;
  const { owner } = adapter;
  const { noun } = KINDS[adapter.kind];
  const tell = command.json ? printError : tellPlainly;
  const { named, slots } = openNodes(command.nodes);
  demandMainnetFlag(command, named);
  const slot = 'key' in adapter ? slotOf(adapter.key, slots) : undefined;
  if ('key' in adapter && slot === undefined) throw new Failure(`${adapter.key} has no slot on Ethereum-type networks`);
  const targets = openOnEthereum(command, named, (nodes) => openAdapter(nodes, slot, command));
  for (const { changed, contract, settings } of targets) {
    const asks = settings.gate ? ` asks ${settings.gate.gateway}` : '';
    tell(`${changed.network}: ${noun} ${contract}${asks}`);
  }
  tell(`its owner is ${owner ?? 'nobody, and nobody can become it'}`);
  const made = await makeDeployments(command, {
    targets,
    subject: `the ${noun}${'key' in adapter ? ` of ${adapter.key}` : ''} for ${owner ?? 'nobody'}`,
    async plan(target) {
      if ('key' in adapter) await demandGatekeeperNetwork(target, adapter.key);
      if (owner !== undefined && !ownerWithoutCode) await demandCode(target.send, owner, '--owner-without-code');
      return planDeployment(target, command);
    },
    titleOf: ({ contract }) => `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${contract}`,
    tell,
    report,
  });
  if (made === undefined) return undefined;
  return onEach(targets, (target) => verify(target, tell));
}

function openAdapter(nodes: EthereumNodes, slot: bigint | undefined, command: AdapterCommand): AdapterTarget {
  const { adapter, factory } = command;
  const { contract: name, noun } = KINDS[adapter.kind];
  const gateway = checksumAddress(nodes.network.gateway);
  const settings = { adapter, gate: slot === undefined ? undefined : { gateway, slot } };
  const creation = adapterCreationOf(readAdapterBuild(name), constructorValuesOf(settings), factory);
  return { ...openDeployment(nodes, [{ kind: noun, creation }], factory), contract: creation.address, settings };
}

/** Throws Failure if the contract or the gatekeeper network does not exist there: then the adapter would admit nobody. */
async function demandGatekeeperNetwork({ nodes, settings }: AdapterTarget, key: string): Promise<void> {
  const { gate } = settings;
  if (gate === undefined) return;
  const { exists } = await openEthereumGateway(nodes, gate.slot).gateway.read({ authorities: [], gatekeepers: [] });
  if (!exists)
    throw new Failure(
      `${key} does not exist in ${gate.gateway}: create it there, or name its contract with --contract`,
    );
}

async function verify(target: AdapterTarget, tell: (line: string) => void): Promise<DeployedAdapter> {
  const { changed, contract, settings } = target;
  const endpoints = await countWitnesses(target.nodes, (send) => findDifference(send, target));
  tellWitnesses(changed.network, endpoints, KINDS[settings.adapter.kind].noun, tell);
  return { ...settings, network: changed.network, contract, endpoints };
}

/** Returns the first difference as part of a sentence; undefined: the endpoint shows the contract as it was deployed. */
async function findDifference(send: JsonRpc, { contract: to, settings }: AdapterTarget): Promise<string | undefined> {
  const { contract: name, noun } = KINDS[settings.adapter.kind];
  // Nobody has a pass for an address that was just chosen at random.
  const questions = questionsOf(settings, `0x${randomBytes(20).toString('hex')}`);
  const [code, ...answers] = await send([rpc.code(to), ...questions.map(([data]) => rpc.call({ to, data }))]);
  const found = resultOf<Hex>(code);
  if (found === '0x') return `no ${noun} at ${to}`;
  if (found.toLowerCase() !== readAdapterBuild(name).deployedBytecode) return `other code at ${to}`;
  const wrong = questions.findIndex(([, expected], index) => answerIn(answers[index]) !== expected);
  return wrong < 0 ? undefined : `${questions[wrong]?.[2]} at ${to}`;
}

/** A revert is an answer too. Throws RpcFault if there is none. */
function answerIn(answer: RpcAnswer | undefined): string {
  if (answer === undefined || needsAnother(answer, ETHEREUM_ERRORS)) return resultOf(answer);
  return 'result' in answer ? String(answer.result) : 'reverted';
}

/** Returns the value for JSON, in which Uniswap's checker has the name `checker`. */
export function adapterJson(deployed: readonly DeployedAdapter[]): Readonly<Record<string, unknown>> {
  const isChecker = deployed.some(({ adapter }) => adapter.kind === 'uniswap');
  const shown = deployed.map(({ network, contract, adapter, gate, endpoints }) => ({
    ...{ network, [isChecker ? 'checker' : 'contract']: contract },
    ...(gate && { gateway: gate.gateway, slot: rpc.hex(gate.slot) }),
    owner: adapter.owner ?? null,
    ...KINDS[adapter.kind].values(contract, adapter),
    endpoints,
  }));
  return isChecker ? { checkers: shown } : { deployed: shown };
}

/** Returns the lines for a reader: the values that a user of the contract enters. */
export function formatAdapter({ network, contract, adapter, gate }: DeployedAdapter): string[] {
  const { noun, lines } = KINDS[adapter.kind];
  return [
    `${network}:`,
    `  ${noun} ${contract}`,
    ...(gate ? [`  it asks ${gate.gateway} about the slot ${rpc.hex(gate.slot)}`] : []),
    ...lines(contract, network).map((line) => `  ${line}`),
  ];
}
