import type { Hex } from 'viem';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, jsonRpc } from '../../src/chain/json-rpc.ts';
import { redactContractText } from '../../src/chain/json-rpc-batch.ts';
import { type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import type { EthereumNetwork } from '../../src/network/network.ts';
import { Failure } from '../../terminal/failure.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { creationGasOf, maxCreationGas } from './creation-gas.ts';
import { DEPLOYER_ACCOUNT, DEPLOYER_COST, demandEnoughGas } from './deterministic-deployer.ts';
import type { Call, EthereumChanges, GasSample } from './ethereum-sender.ts';
import { type Creation, creationOf, DETERMINISTIC_DEPLOYER, initCodeOf } from './gateway-build.ts';
import type { Changed } from './sender.ts';
import type { Target } from './targets.ts';

/** A contract that a deployment creates through a deterministic factory. */
export interface Part {
  /** Its kind, for a reader. */
  readonly kind: string;
  readonly creation: Creation;
}

/** A transaction of a deployment. */
export type DeploymentChange =
  | { readonly type: 'fund-deployer'; readonly value: bigint }
  | {
      readonly type: 'create';
      readonly part: Part;
      /** Whether another transaction must come first, so that no node can simulate this one yet. */
      readonly follows: boolean;
    };

export type EthereumNodes = NetworkNodes & { readonly network: EthereumNetwork };

/** A deployment on one network. */
export interface DeploymentTarget extends Target<DeploymentChange> {
  readonly nodes: EthereumNodes;
  readonly send: JsonRpc;
  /** The contracts in the order of their creation. */
  readonly parts: readonly Part[];
  readonly factory: Hex;
}

/** A target with the transactions that the chain lacks. */
export type PlannedDeployment<T extends DeploymentTarget> = T & {
  /** Whether the transaction of the deterministic deployer has to be sent before the contracts are created. */
  readonly lacksDeployer: boolean;
};

/** Opens the deployment of these contracts on a network. */
export function openDeployment(
  nodes: EthereumNodes,
  parts: readonly Part[],
  factory: Hex = DETERMINISTIC_DEPLOYER,
): DeploymentTarget {
  const { network } = nodes;
  const send = jsonRpc(nodes.endpoints, rpc.identityOf(network));
  const changed: Changed<DeploymentChange> = {
    network: network.network,
    address: factory,
    blockMs: network.blockMs,
    describe,
    async findMissing(changes) {
      const found = await readFound({ send, parts, factory });
      return changes.filter((change) => !isDone(change, found));
    },
  };
  return { changed, changes: [], nodes, send, parts, factory };
}

function describe(change: DeploymentChange): string {
  if (change.type === 'fund-deployer') return `fund ${DEPLOYER_ACCOUNT}, which creates the deterministic deployer`;
  return `create the ${change.part.kind} ${change.part.creation.address}`;
}

/** The parts of a deployment that a chain has. */
interface Found {
  readonly hasFactory: boolean;
  /** The wei that the account of the deterministic deployer lacks. */
  readonly lackingFunds: bigint;
  readonly existing: ReadonlySet<string>;
}

async function readFound({
  send,
  parts,
  factory,
}: Pick<DeploymentTarget, 'send' | 'parts' | 'factory'>): Promise<Found> {
  const addresses = parts.map(({ creation }) => creation.address);
  const [funds, ...answers] = await send([rpc.balance(DEPLOYER_ACCOUNT), ...[factory, ...addresses].map(rpc.code)]);
  const [ofFactory, ...codes] = answers.map((code) => resultOf<Hex>(code));
  const lacking = DEPLOYER_COST - rpc.quantityOf(funds);
  return {
    hasFactory: ofFactory !== '0x',
    lackingFunds: lacking > 0n ? lacking : 0n,
    existing: new Set(addresses.filter((_, index) => codes[index] !== '0x')),
  };
}

function isDone(change: DeploymentChange, found: Found): boolean {
  if (change.type === 'fund-deployer') return found.hasFactory || found.lackingFunds === 0n;
  return found.existing.has(change.part.creation.address);
}

/** The code of an account that is delegated to another address (EIP-7702). Its key still commands it. */
const DELEGATION = /^0xef0100[0-9a-f]{40}$/i;

/** Throws Failure if the account is no contract, so that a single key commands it. */
export async function demandCode(send: JsonRpc, account: Hex, flag: string): Promise<void> {
  const [answer] = await send([rpc.code(account)]);
  const code = resultOf<Hex>(answer);
  if (code === '0x' || DELEGATION.test(code))
    throw new Failure(`${account} has no code, so a single key commands it: name a Safe or a timelock, or add ${flag}`);
}

/** Returns the target with the transactions that the chain lacks. Throws Failure if one of them is impossible. */
export async function planDeployment<T extends DeploymentTarget>(
  target: T,
  { bringDeployer }: { readonly bringDeployer: boolean },
): Promise<PlannedDeployment<T>> {
  const found = await readFound(target);
  const missing = target.parts.filter(({ creation }) => !found.existing.has(creation.address));
  const lacksDeployer = !found.hasFactory && missing.includes(target.parts.at(-1) as Part);
  if (lacksDeployer) {
    demandDeployer(target, { bringDeployer });
    await demandEnoughGas(target.send);
  }
  const wanted: DeploymentChange[] = [
    ...(lacksDeployer ? [{ type: 'fund-deployer', value: found.lackingFunds } as const] : []),
    ...missing.map((part, index) => ({ type: 'create', part, follows: lacksDeployer || index > 0 }) as const),
  ];
  const changes = wanted.filter((change) => !isDone(change, found));
  if (found.hasFactory) await demandAddress(target, changes);
  return { ...target, changes, lacksDeployer };
}

/** Throws Failure if the factory does not exist and the command must not bring it. */
function demandDeployer({ factory }: DeploymentTarget, { bringDeployer }: { readonly bringDeployer: boolean }): void {
  if (factory !== DETERMINISTIC_DEPLOYER) throw new Failure(`no factory exists at ${factory}`);
  if (!bringDeployer)
    throw new Failure(
      `the deterministic deployer ${factory} does not exist there: --bring-deployer sends its transaction, which costs 0.01 coins; ` +
        'or name another deterministic factory with --factory ADDRESS, which changes the address of the contract',
    );
}

/**
 * Throws Failure if the factory would create the first of the contracts at another address, or if its creation takes more gas than the
 * nodes allow. The factory then fails without a reason, so an empty contract shows whether it works.
 */
async function demandAddress(target: DeploymentTarget, [first]: readonly DeploymentChange[]): Promise<void> {
  if (first?.type !== 'create') return;
  const { factory, send } = target;
  const { address, data } = first.part.creation;
  const empty = creationOf('0x', factory);
  const [answer, ofEmpty] = await send([data, empty.data].map((each) => rpc.call({ to: factory, data: each })));
  if (createdBy(answer) === address.toLowerCase()) return;
  if (createdBy(ofEmpty) !== empty.address.toLowerCase())
    throw new Failure(`the factory ${factory} does not create ${address} from a salt and code: name another one`);
  throw new Failure(await describeTooMuchGas(send, first));
}

async function describeTooMuchGas(
  send: JsonRpc,
  { part }: Extract<DeploymentChange, { type: 'create' }>,
): Promise<string> {
  const gas = await creationGasOf(send, initCodeOf(part.creation));
  const about = gas === undefined ? '' : `, about ${gas}`;
  return (
    `the creation of the ${part.kind} takes more gas than the nodes allow for one transaction${about}. Many nodes allow 16777216 ` +
    '(EIP-7825), with Glamsterdam as much as a block: name an endpoint that allows more, or use a contract that exists there'
  );
}

/** Returns the address in the answer of a factory: 20 bytes, or a word that ends with them. */
function createdBy(answer: RpcAnswer | undefined): string | undefined {
  if (answer && 'error' in answer && rpc.revertData(answer) !== undefined) return undefined;
  const [, address] = /^0x(?:0{24})?([0-9a-f]{40})$/i.exec(resultOf<string>(answer)) ?? [];
  return address && `0x${address.toLowerCase()}`;
}

export function callOf({ factory }: DeploymentTarget, change: DeploymentChange): Call {
  if (change.type === 'fund-deployer') return { to: DEPLOYER_ACCOUNT, data: '0x', value: change.value };
  return { to: factory, data: change.part.creation.data };
}

/** Returns how an account makes the deployment. */
export function changesOf(target: DeploymentTarget): EthereumChanges<DeploymentChange> {
  const { network } = target.nodes;
  const maxGas = BigInt(network.maxGas);
  return {
    network,
    send: target.send,
    // A creation needs more gas than any call, for which `maxGas` is.
    maxGasOf: ({ data }) => [maxGas, maxCreationGas(data)].reduce((a, b) => (a > b ? a : b)),
    describe: target.changed.describe,
    callOf: (change) => callOf(target, change),
    sampleOf,
    reasonOf: (revert) => (revert === '0x' ? 'the factory gives no reason' : redactContractText(revert)),
  };
}

/** The factory copies the code before it creates the contract. */
const THROUGH_FACTORY_PERCENT = 110n;
/**
 * A proxy takes at most this share of the gas of its implementation, measured: 7 % before Glamsterdam, and 5 % with it.
 */
const PROXY_PERCENT = 12n;

/** A transaction that creates the first contract needs no factory. A later contract needs the ones before it, so it has a share of the first. */
function sampleOf(change: DeploymentChange, changes: readonly DeploymentChange[]): GasSample | undefined {
  if (change.type !== 'create' || !change.follows) return undefined;
  const creations = changes.flatMap((each) => (each.type === 'create' ? each.part.creation : []));
  const [first = change.part.creation] = creations;
  const percent = first === change.part.creation ? THROUGH_FACTORY_PERCENT : PROXY_PERCENT;
  return { of: { data: initCodeOf(first) }, percent };
}
