import type { Hex } from 'viem';
import { Failure } from '../../scripts/failure.ts';
import {
  type Creation,
  DETERMINISTIC_DEPLOYER,
  type GatewayDeployment,
  gatewayDeploymentOf,
  readGatewayBuild,
} from '../../scripts/gateway-build.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, jsonRpc } from '../../src/chain/json-rpc.ts';
import { redactContractText } from '../../src/chain/redact.ts';
import { type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import type { EthereumNetwork } from '../../src/network/network.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import type { DeployCommand } from './deploy-command.ts';
import { DEPLOYER_ACCOUNT, DEPLOYER_COST } from './deterministic-deployer.ts';
import type { Call, EthereumChanges } from './ethereum-sender.ts';
import type { Changed } from './sender.ts';
import type { Target } from './targets.ts';

/** A transaction of a deployment. */
export type DeploymentChange =
  | { readonly type: 'fund-deployer'; readonly value: bigint }
  | {
      readonly type: 'create-implementation' | 'create-contract';
      /** Whether another transaction must come first, so that no node can simulate this one yet. */
      readonly follows: boolean;
    };

/** A deployment on one network. */
export interface DeploymentTarget extends Target<DeploymentChange> {
  readonly nodes: NetworkNodes & { readonly network: EthereumNetwork };
  readonly send: JsonRpc;
  readonly deployment: GatewayDeployment;
  readonly factory: Hex;
}

/** A target with the transactions that the chain lacks. */
export type PlannedDeployment<T extends DeploymentTarget> = T & {
  /** Whether the transaction of the deterministic deployer has to be sent before the contracts are created. */
  readonly lacksDeployer: boolean;
};

/** Opens the deployment on a network. Throws Failure if the installed packages do not have the public build. */
export function openDeployment(
  nodes: DeploymentTarget['nodes'],
  { admin, factory = DETERMINISTIC_DEPLOYER }: Pick<DeployCommand, 'admin' | 'factory'>,
): DeploymentTarget {
  const { network } = nodes;
  const send = jsonRpc(nodes.endpoints, rpc.identityOf(network));
  const deployment = gatewayDeploymentOf(readGatewayBuild(), { factory, ...(admin && { admin }) });
  const changed: Changed<DeploymentChange> = {
    network: network.network,
    address: factory,
    blockMs: network.blockMs,
    describe: (change) => describe(change, deployment),
    async findMissing(changes) {
      const found = await readFound(send, deployment, factory, undefined);
      return changes.filter((change) => !isDone(change, found));
    },
  };
  return { changed, changes: [], nodes, send, deployment, factory };
}

function describe(change: DeploymentChange, { implementation, contract }: GatewayDeployment): string {
  switch (change.type) {
    case 'fund-deployer':
      return `fund ${DEPLOYER_ACCOUNT}, which creates the deterministic deployer`;
    case 'create-implementation':
      return `create the implementation ${implementation.address}`;
    case 'create-contract':
      return `create the contract ${contract.address}`;
  }
}

/** The parts of a deployment that a chain has. */
interface Found {
  readonly hasFactory: boolean;
  /** The wei that the account of the deterministic deployer lacks. */
  readonly lackingFunds: bigint;
  readonly hasImplementation: boolean;
  readonly hasContract: boolean;
  readonly adminCode: Hex;
}

async function readFound(
  send: JsonRpc,
  { implementation, contract }: GatewayDeployment,
  factory: Hex,
  admin: Hex | undefined,
): Promise<Found> {
  const addresses = [factory, implementation.address, contract.address, admin ?? factory];
  const [funds, ...codes] = await send([rpc.balance(DEPLOYER_ACCOUNT), ...addresses.map(rpc.code)]);
  const [ofFactory, ofImplementation, ofContract, ofAdmin = '0x'] = codes.map((code) => resultOf<Hex>(code));
  const lacking = DEPLOYER_COST - rpc.quantityOf(funds);
  return {
    hasFactory: ofFactory !== '0x',
    lackingFunds: lacking > 0n ? lacking : 0n,
    hasImplementation: ofImplementation !== '0x',
    hasContract: ofContract !== '0x',
    adminCode: ofAdmin,
  };
}

function isDone({ type }: DeploymentChange, found: Found): boolean {
  switch (type) {
    case 'fund-deployer':
      return found.hasFactory || found.lackingFunds === 0n;
    case 'create-implementation':
      return found.hasImplementation;
    case 'create-contract':
      return found.hasContract;
  }
}

/** The code of an account that is delegated to another address (EIP-7702). Its key still commands it. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;

/** Reads the chain, and returns the transactions that it lacks. Throws Failure if one of them is impossible. */
export async function planDeployment<T extends DeploymentTarget>(
  target: T,
  { admin, adminWithoutCode, bringDeployer }: DeployCommand,
): Promise<PlannedDeployment<T>> {
  const { send, deployment, factory } = target;
  const found = await readFound(send, deployment, factory, admin);
  if (admin !== undefined && !adminWithoutCode && (found.adminCode === '0x' || DELEGATION.test(found.adminCode)))
    throw new Failure(
      `${admin} has no code, so a single key commands it: name a Safe or a timelock, or add --admin-without-code`,
    );
  const lacksDeployer = !found.hasFactory && !found.hasContract;
  if (lacksDeployer) demandDeployer(target, { bringDeployer });
  const wanted: DeploymentChange[] = [
    ...(lacksDeployer ? [{ type: 'fund-deployer', value: found.lackingFunds } as const] : []),
    { type: 'create-implementation', follows: lacksDeployer },
    { type: 'create-contract', follows: !found.hasImplementation },
  ];
  const changes = wanted.filter((change) => !isDone(change, found));
  if (found.hasFactory) await demandAddress(target, changes);
  return { ...target, changes, lacksDeployer };
}

/** Throws Failure if the factory does not exist and the command must not bring it. */
function demandDeployer({ factory }: DeploymentTarget, { bringDeployer }: Pick<DeployCommand, 'bringDeployer'>): void {
  if (factory !== DETERMINISTIC_DEPLOYER) throw new Failure(`no factory exists at ${factory}`);
  if (!bringDeployer)
    throw new Failure(
      `the deterministic deployer ${factory} does not exist there: --bring-deployer sends its transaction, which costs 0.01 coins; ` +
        'or name another deterministic factory with --factory ADDRESS, which changes the address of the contract',
    );
}

/** Throws Failure if the factory would create the first of the contracts at another address. */
async function demandAddress(target: DeploymentTarget, [first]: readonly DeploymentChange[]): Promise<void> {
  if (first === undefined) return;
  const { address, data } = creationFor(first, target.deployment);
  const [answer] = await target.send([rpc.call({ to: target.factory, data })]);
  if (createdBy(answer) === address.toLowerCase()) return;
  throw new Failure(`the factory ${target.factory} does not create ${address} from a salt and code: name another one`);
}

/** Returns the address in the answer of a factory: 20 bytes, or a word that ends with them. */
function createdBy(answer: RpcAnswer | undefined): string | undefined {
  if (answer && 'error' in answer && rpc.revertData(answer) !== undefined) return undefined;
  const [, address] = /^0x(?:0{24})?([0-9a-f]{40})$/i.exec(resultOf<string>(answer)) ?? [];
  return address && `0x${address.toLowerCase()}`;
}

function creationFor({ type }: DeploymentChange, { implementation, contract }: GatewayDeployment): Creation {
  return type === 'create-implementation' ? implementation : contract;
}

/** Gas of the creations, measured, with a margin. It serves for the estimate of the cost only. */
const GAS = { 'fund-deployer': 30_000n, 'create-implementation': 6_900_000n, 'create-contract': 520_000n } as const;

/** A creation needs more gas than any call, for which `maxGas` is. */
const MAX_GAS_TIMES = 4n;

export function callOf({ deployment, factory }: DeploymentTarget, change: DeploymentChange): Call {
  if (change.type === 'fund-deployer') return { to: DEPLOYER_ACCOUNT, data: '0x', value: change.value };
  return { to: factory, data: creationFor(change, deployment).data };
}

/** Returns how an account makes the deployment. */
export function changesOf(target: DeploymentTarget): EthereumChanges<DeploymentChange> {
  const { network } = target.nodes;
  return {
    network,
    send: target.send,
    maxGas: BigInt(network.maxGas) * MAX_GAS_TIMES,
    describe: target.changed.describe,
    callOf: (change) => callOf(target, change),
    gasAfterOthers: (change) => ('follows' in change && change.follows ? GAS[change.type] : undefined),
    reasonOf: (revert) => (revert === '0x' ? 'the factory gives no reason' : redactContractText(revert)),
  };
}
