import type { Hex } from 'viem';
import { printError } from '../../terminal/print.ts';
import { openNodes } from '../nodes/open-nodes.ts';
import {
  type DeploymentTarget,
  demandCode,
  type EthereumNodes,
  openDeployment,
  planDeployment,
} from './contract-deployment.ts';
import type { DeployCommand } from './deploy-command.ts';
import { BUILD_ORIGINS, gatewayDeploymentOf, readGatewayBuild } from './gateway-build.ts';
import { makeDeployments, openOnEthereum } from './make-deployments.ts';
import { readSlimBuild, SLIM_ORIGIN, slimCreationOf } from './slim-build.ts';
import { demandMainnetFlag, onEach, tell as tellPlainly } from './targets.ts';
import { type AnyDeployment, tellWitnesses, verifyDeployment } from './verify-deployment.ts';

/** A contract that the nodes of a network show. */
export interface Deployed {
  readonly network: string;
  readonly contract: string;
  /** Null: the contract is no proxy. */
  readonly implementation: string | null;
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

/** The deployment of the gateway contract on one network. */
interface ContractTarget extends DeploymentTarget {
  readonly deployment: AnyDeployment;
}

/**
 * Creates the contract on all named networks where it is missing, and verifies it on each; or writes the calls. Returns undefined if
 * it only writes calls, or only says what it would send. Throws Failure before the first transaction if one is impossible.
 * @param report Records the command before its first transaction.
 */
export async function deployContracts(
  command: DeployCommand,
  report: () => Promise<void> | undefined,
): Promise<DeploymentResult | undefined> {
  const { admin, adminWithoutCode } = command;
  const tell = command.json ? printError : tellPlainly;
  const { named } = openNodes(command.nodes);
  demandMainnetFlag(command, named);
  const targets = openOnEthereum(command, named, (nodes) => openGatewayDeployment(nodes, command));
  const [first] = targets;
  const subject = first?.deployment.contract.address ?? '';
  tell(command.build === 'slim' ? SLIM_ORIGIN : BUILD_ORIGINS.join(', and '));
  tell(`contract ${subject}; its admin is ${admin ?? 'nobody, and nobody can become it'}`);
  const made = await makeDeployments(command, {
    targets,
    subject,
    async plan(target) {
      if (admin !== undefined && !adminWithoutCode) await demandCode(target.send, admin, '--admin-without-code');
      return planDeployment(target, command);
    },
    titleOf: ({ deployment }) => `Contract ${deployment.contract.address}`,
    tell,
    report,
  });
  if (made === undefined) return undefined;
  const deployed = await onEach(targets, (target) => verify(target, admin, made.account, tell));
  return { deployed, networks: settingsFor(targets) };
}

/** Throws Failure if the installed packages do not have the public build. */
function openGatewayDeployment(nodes: EthereumNodes, command: DeployCommand): ContractTarget {
  const deployment = deploymentOf(command);
  const parts = (['implementation', 'contract'] as const).flatMap((kind) => {
    const creation = deployment[kind];
    return creation === null ? [] : { kind, creation };
  });
  return { ...openDeployment(nodes, parts, command.factory), deployment };
}

function deploymentOf({ build, admin, factory }: DeployCommand): AnyDeployment {
  if (build === 'slim') return { implementation: null, contract: slimCreationOf(readSlimBuild(), factory) };
  return gatewayDeploymentOf(readGatewayBuild(), { ...(factory && { factory }), ...(admin && { admin }) });
}

async function verify(
  target: ContractTarget,
  admin: Hex | undefined,
  account: Hex | undefined,
  tell: (line: string) => void,
): Promise<Deployed> {
  const { implementation, contract } = target.deployment;
  const { network } = target.changed;
  const endpoints = await verifyDeployment(target, { admin, account });
  tellWitnesses(network, endpoints, 'contract', tell);
  return {
    network,
    contract: contract.address,
    implementation: implementation?.address ?? null,
    admin: admin ?? null,
    endpoints,
  };
}

/** Returns the settings of the networks whose configured contract is another one. */
function settingsFor(targets: readonly ContractTarget[]): DeploymentResult['networks'] {
  const isConfigured = ({ nodes, deployment }: ContractTarget) =>
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
