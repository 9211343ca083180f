import type { Hex } from 'viem';
import { Failure } from '../../scripts/failure.ts';
import { BUILD_ORIGINS } from '../../scripts/gateway-build.ts';
import { printError } from '../../scripts/print.ts';
import { openNodes } from '../nodes/open-nodes.ts';
import { calldataFileFor, writeSafeBatch } from './calldata.ts';
import {
  callOf,
  changesOf,
  type DeploymentChange,
  type DeploymentTarget,
  openDeployment,
  type PlannedDeployment,
  planDeployment,
} from './contract-deployment.ts';
import type { DeployCommand } from './deploy-command.ts';
import { bringDeployer, demandAcceptable } from './deterministic-deployer.ts';
import { createEthereumSender } from './ethereum-sender.ts';
import { type AuthorityKeys, readKeyFiles } from './key-files.ts';
import { sendChanges } from './send-changes.ts';
import { confirmCosts, type Sending, withRuns } from './send-targets.ts';
import { demandMainnetFlag, onEach, tell as tellPlainly } from './targets.ts';
import { verifyDeployment } from './verify-deployment.ts';

/** A contract that the nodes of a network show. */
export interface Deployed {
  readonly network: string;
  readonly contract: string;
  readonly implementation: string;
  /** Null: nobody. */
  readonly admin: string | null;
  /** The number of endpoints that showed the contract. */
  readonly endpoints: number;
}

export interface DeploymentResult {
  readonly deployed: readonly Deployed[];
  /** The settings that the variable `NETWORKS` needs in addition. */
  readonly networks: Readonly<Record<string, { readonly gateway: string }>>;
}

type SendingDeployment = Sending<DeploymentChange, PlannedDeployment<DeploymentTarget>>;

/**
 * Creates the contract on all named networks where it is missing, and verifies it on each; or writes the calls. Returns undefined if
 * it only writes calls, or only says what it would send. Throws Failure before the first transaction if one is impossible.
 * @param report Records the command before its first transaction.
 */
export async function deployContracts(
  command: DeployCommand,
  report: () => Promise<void> | undefined,
): Promise<DeploymentResult | undefined> {
  const tell = command.json ? printError : tellPlainly;
  const targets = openTargets(command);
  const keys = readKeyFiles(command.keyFile === undefined ? [] : [command.keyFile], command.nodes.source);
  const [first] = targets;
  const subject = first?.deployment.contract.address ?? '';
  tell(BUILD_ORIGINS.join(', and '));
  tell(`contract ${subject}; its admin is ${command.admin ?? 'nobody, and nobody can become it'}`);
  if (command.calldata !== undefined) {
    await writeCalldata(command, command.calldata, targets);
    return undefined;
  }
  const sender = (target: DeploymentTarget) => createEthereumSender(changesOf(target), keyIn(keys));
  let isDone = !command.isDryRun;
  await withRuns(targets, sender, { ...command, subject, tell }, async (sending) => {
    const planned = await onEach(sending, (target) => planDeployment(target, command));
    const open = planned.filter(({ changes, lacksDeployer }) => lacksDeployer || changes.length > 0);
    if (open.length === 0) {
      isDone = true;
      return tell('Nothing to send.');
    }
    if (!(await confirmCosts(open, { ...command, tell }))) return;
    await report();
    await onEach(open, (target) => send(target, tell));
  });
  if (!isDone) return undefined;
  const account = keys.ethereum?.address as Hex;
  const deployed = await onEach(targets, (target) => verify(target, command.admin, account, tell));
  return { deployed, networks: settingsFor(targets) };
}

function openTargets(command: DeployCommand): DeploymentTarget[] {
  const { named } = openNodes(command.nodes);
  demandMainnetFlag(command, named);
  const targets = named.flatMap((each) => {
    const { network } = each;
    if (network.chain === 'ethereum') return openDeployment({ ...each, network }, command);
    if (command.nodes.networks === 'enabled') return [];
    throw new Failure(`deploy is for Ethereum-type networks: omit ${network.network}`, 2);
  });
  if (targets.length === 0) throw new Failure('no Ethereum-type network is named', 2);
  return targets;
}

function keyIn({ ethereum }: AuthorityKeys) {
  if (ethereum === undefined) throw new Failure('--key-file must have the hex key of an Ethereum account', 2);
  return ethereum;
}

/** Sends the transactions of a target. The deterministic deployer is final before it is called. */
async function send(
  { run, changes, lacksDeployer, send: rpc, nodes }: SendingDeployment,
  tell: (line: string) => void,
): Promise<void> {
  const funding = changes.filter(({ type }) => type === 'fund-deployer');
  if (lacksDeployer) {
    await demandAcceptable(rpc);
    await sendChanges(run, funding);
    await bringDeployer(rpc, nodes.network, tell);
  }
  await sendChanges(
    run,
    changes.filter((change) => !funding.includes(change)),
  );
}

async function writeCalldata(
  command: DeployCommand,
  file: string,
  targets: readonly DeploymentTarget[],
): Promise<void> {
  const planned = await onEach(targets, (target) => planDeployment(target, command));
  const open = planned.filter(({ changes }) => changes.length > 0);
  if (open.length === 0) tellPlainly('Nothing to write.');
  for (const target of open) {
    const { network } = target.nodes;
    const calls = target.changes.map((change) => ({
      ...callOf(target, change),
      text: target.changed.describe(change),
    }));
    const name = calldataFileFor(file, network.network, targets.length === 1);
    writeSafeBatch(name, network, `Contract ${target.deployment.contract.address}`, calls);
  }
}

async function verify(
  target: DeploymentTarget,
  admin: Hex | undefined,
  account: Hex,
  tell: (line: string) => void,
): Promise<Deployed> {
  const { implementation, contract } = target.deployment;
  const { network } = target.changed;
  const endpoints = await verifyDeployment(target, { admin, account });
  tell(`${network}: done and final. ${endpoints} endpoint${endpoints === 1 ? ' shows' : 's show'} the contract`);
  if (endpoints === 1) tell(`${network}: only one endpoint was asked; it alone could lie`);
  return {
    network,
    contract: contract.address,
    implementation: implementation.address,
    admin: admin ?? null,
    endpoints,
  };
}

/** Returns the settings of the networks whose configured contract is another one. */
function settingsFor(targets: readonly DeploymentTarget[]): DeploymentResult['networks'] {
  const isConfigured = ({ nodes, deployment }: DeploymentTarget) =>
    nodes.network.gateway.toLowerCase() === deployment.contract.address.toLowerCase();
  const others = targets.filter((target) => !isConfigured(target));
  return Object.fromEntries(
    others.map(({ nodes, deployment }) => [nodes.network.network, { gateway: deployment.contract.address }]),
  );
}

/** Returns the lines for a reader. */
export function formatDeployment({ networks }: DeploymentResult): string[] {
  if (Object.keys(networks).length === 0) return ['NETWORKS needs no line: the service uses this contract there.'];
  return ['The service uses another contract there. Add this to NETWORKS:', JSON.stringify(networks)];
}
