import type { Hex } from 'viem';
import { Failure } from '../../terminal/failure.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { calldataFileFor, writeSafeBatch } from './calldata.ts';
import {
  callOf,
  changesOf,
  type DeploymentChange,
  type DeploymentTarget,
  type EthereumNodes,
  type PlannedDeployment,
} from './contract-deployment.ts';
import type { CreationCommand } from './creation-options.ts';
import { bringDeployer, demandAcceptable } from './deterministic-deployer.ts';
import { createEthereumSender } from './ethereum-sender.ts';
import { type AuthorityKeys, readKeyFiles } from './key-files.ts';
import { sendChanges } from './send-changes.ts';
import { confirmCosts, type Sending, withRuns } from './send-targets.ts';
import { onEach } from './targets.ts';

type SendingDeployment = Sending<DeploymentChange, PlannedDeployment<DeploymentTarget>>;

/** How the contracts of a verb are deployed. */
export interface DeploymentPlan<T extends DeploymentTarget> {
  readonly targets: readonly T[];
  /** The subject in the file of transactions. */
  readonly subject: string;
  /** Returns the transactions that the chain lacks. Throws Failure if the deployment is impossible. */
  plan(target: T): Promise<PlannedDeployment<T>>;
  /** The name of the batch for a Safe. */
  titleOf(target: T): string;
  readonly tell: (...lines: readonly string[]) => void;
  /** Records the command before its first transaction. */
  readonly report: () => Promise<void> | undefined;
}

/** All contracts exist. */
export interface MadeDeployments {
  /** The account that sends; undefined: another one executes calldata. */
  readonly account: Hex | undefined;
}

/**
 * Creates the contracts on all networks where they are missing, or writes the calls. Returns undefined if it only writes calls, or only
 * says what it would send. Throws Failure before the first transaction if one is impossible.
 */
export async function makeDeployments<T extends DeploymentTarget>(
  command: CreationCommand,
  { targets, subject, plan, titleOf, tell, report }: DeploymentPlan<T>,
): Promise<MadeDeployments | undefined> {
  const keys = readKeyFiles(command.keyFile === undefined ? [] : [command.keyFile], command.nodes.source);
  if (command.calldata !== undefined) {
    const planned = await onEach(targets, plan);
    if (planned.some(({ changes }) => changes.length > 0)) return writeCalldata(command.calldata, planned, titleOf);
    tell('Nothing to write.');
    return { account: undefined };
  }
  const key = keyIn(keys);
  const sender = (target: T) => createEthereumSender(changesOf(target), key);
  let isDone = !command.isDryRun;
  await withRuns(targets, sender, { ...command, subject, tell }, async (sending) => {
    const planned = await onEach(sending, async (target) => ({ ...(await plan(target)), run: target.run }));
    const open = planned.filter(({ changes, lacksDeployer }) => lacksDeployer || changes.length > 0);
    if (open.length === 0) {
      isDone = true;
      return tell('Nothing to send.');
    }
    if (!(await confirmCosts(open, { ...command, tell }))) return;
    await report();
    await onEach(open, (target) => send(target, tell));
  });
  return isDone ? { account: key.address as Hex } : undefined;
}

/** Opens the target on each Ethereum-type network. Throws Failure if a network of another kind is named. */
export function openOnEthereum<T extends DeploymentTarget>(
  { type, nodes }: CreationCommand & { readonly type: string },
  named: readonly NetworkNodes[],
  open: (nodes: EthereumNodes) => T,
): T[] {
  const targets = named.flatMap((each) => {
    const { network } = each;
    if (network.chain === 'ethereum') return open({ ...each, network });
    if (nodes.networks === 'enabled') return [];
    throw new Failure(`${type} is for Ethereum-type networks: omit ${network.network}`, 2);
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

function writeCalldata<T extends DeploymentTarget>(
  file: string,
  planned: readonly PlannedDeployment<T>[],
  titleOf: (target: T) => string,
): undefined {
  for (const target of planned.filter(({ changes }) => changes.length > 0)) {
    const { network } = target.nodes;
    const calls = target.changes.map((change) => ({
      ...callOf(target, change),
      text: target.changed.describe(change),
    }));
    writeSafeBatch(calldataFileFor(file, network.network, planned.length === 1), network, titleOf(target), calls);
  }
}
