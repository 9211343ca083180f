import { type Address, type Hex, parseAbi } from 'viem';
import { decodeErrorResult, encodeFunctionData } from 'viem/utils';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { jsonRpc } from '../../src/chain/json-rpc.ts';
import { redactContractText } from '../../src/chain/json-rpc-batch.ts';
import { resultOf } from '../../src/chain/rpc-answer.ts';
import { Failure } from '../../terminal/failure.ts';
import { calldataFileFor, writeSafeBatch } from '../network/calldata.ts';
import type { EthereumNodes } from '../network/contract-deployment.ts';
import { createEthereumSender, type EthereumChanges } from '../network/ethereum-sender.ts';
import { readKeyFiles } from '../network/key-files.ts';
import { sendChanges } from '../network/send-changes.ts';
import type { Sent } from '../network/send-options.ts';
import { confirmCosts, withRuns } from '../network/send-targets.ts';
import type { Changed } from '../network/sender.ts';
import { demandMainnetFlag, onEach, type Target, tell } from '../network/targets.ts';
import { openNodes } from '../nodes/open-nodes.ts';
import type { NodeSource } from '../nodes/options.ts';

/** The functions of `PassVerdicts.sol` that manage its keys. The first two are for its owner. */
export const VERDICTS_ABI = parseAbi([
  'function addKey(address key)',
  'function removeKey(address key)',
  'function isKey(address key) view returns (bool)',
]);

/** A change of the keys that a contract trusts. */
export interface KeyChange {
  readonly type: 'addKey' | 'removeKey';
  readonly address: Address;
}

/** A contract that checks verdicts, on one network. */
export interface VerdictsContract extends Target<KeyChange> {
  readonly nodes: EthereumNodes;
  readonly changesIn: EthereumChanges<KeyChange>;
  trusts(key: string): Promise<boolean>;
}

/** The contracts of a deployment, by network, and its nodes. */
export interface VerdictsContracts {
  readonly contracts: Readonly<Record<string, Address>>;
  readonly source: NodeSource;
}

/** Opens each contract. Throws Failure if its network has no node, or is not an Ethereum-type network. */
export function openContracts({ contracts, source }: VerdictsContracts): VerdictsContract[] {
  const networks = Object.keys(contracts);
  if (networks.length === 0) return [];
  return openNodes({ networks, source }).named.map((nodes) => {
    const { network } = nodes;
    if (network.chain !== 'ethereum') throw new Failure(`${network.network} has no contract that checks verdicts`);
    return openContract({ ...nodes, network }, contracts[network.network] as Address);
  });
}

/** Opens the contract at that address. */
export function openContract(nodes: EthereumNodes, to: Address): VerdictsContract {
  const { network } = nodes;
  const send = jsonRpc(nodes.endpoints, rpc.identityOf(network));
  const describe = ({ type, address }: KeyChange) =>
    type === 'addKey' ? `add the verdict key ${address}` : `remove the verdict key ${address}`;
  async function trusts(key: string): Promise<boolean> {
    const data = encodeFunctionData({ abi: VERDICTS_ABI, functionName: 'isKey', args: [key as Address] });
    const [code, answer] = await send([rpc.code(to), rpc.call({ to, data })]);
    if (resultOf(code) === '0x') throw new Failure(`no contract exists at ${to}`);
    const word = resultOf<Hex>(answer);
    if (!/^0x0{63}[01]$/.test(word)) throw new Failure(`${to} does not answer as PassVerdicts`);
    return word.endsWith('1');
  }
  const changed: Changed<KeyChange> = {
    network: network.network,
    address: to,
    blockMs: network.blockMs,
    describe,
    async findMissing(changes) {
      const trusted = await Promise.all(changes.map(({ address }) => trusts(address)));
      return changes.filter(({ type }, at) => trusted[at] !== (type === 'addKey'));
    },
  };
  const changesIn: EthereumChanges<KeyChange> = {
    network,
    send,
    maxGasOf: () => BigInt(network.maxGas),
    describe,
    callOf: ({ type, address }) => ({
      to,
      data: encodeFunctionData({ abi: VERDICTS_ABI, functionName: type, args: [address] }),
    }),
    sampleOf: () => undefined,
    reasonOf,
  };
  return { nodes, changed, changes: [], changesIn, trusts };
}

function reasonOf(revert: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: VERDICTS_ABI, data: revert }) as {
      errorName: string;
      args?: readonly unknown[];
    };
    return errorName === 'Error' ? redactContractText(String(args?.[0])) : errorName;
  } catch {
    return 'the account is not its owner, or for an unknown reason';
  }
}

/** How a command changes the contracts. */
export interface ChainOptions extends Sent, VerdictsContracts {
  /** Files with the key of the owner. */
  readonly keyFiles: readonly string[];
}

/** Throws Failure if there are contracts to change, and the command has no way to do so. */
export function demandOwner(contracts: readonly VerdictsContract[], { keyFiles, calldata, ...sent }: ChainOptions) {
  if (contracts.length === 0) return;
  if (keyFiles.length === 0 && calldata === undefined)
    throw new Failure(
      'the deployment lists contracts that trust its verdict keys: name the key of their owner with --authority-key-file FILE, ' +
        'or write the calls with --calldata FILE',
      2,
    );
  demandMainnetFlag(
    { ...sent, calldata },
    contracts.map(({ nodes }) => nodes),
  );
}

/** Returns the contracts that lack changes, each with only these. */
export async function lacking(
  contracts: readonly VerdictsContract[],
  changes: readonly KeyChange[],
): Promise<VerdictsContract[]> {
  const all = await onEach(contracts, async (contract) => ({
    ...contract,
    changes: await contract.changed.findMissing(changes),
  }));
  return all.filter((contract) => contract.changes.length > 0);
}

/** Makes the changes, on all networks at once, and waits until they are final; or writes the calls. */
export async function changeContracts(open: readonly VerdictsContract[], options: ChainOptions): Promise<void> {
  if (open.length === 0) return;
  const { calldata } = options;
  if (calldata !== undefined) return writeCalls(open, calldata);
  const { ethereum } = readKeyFiles(options.keyFiles, options.source);
  if (ethereum === undefined) throw new Failure('--authority-key-file must have the key of an Ethereum account', 2);
  const senderFor = ({ changesIn }: VerdictsContract) => createEthereumSender(changesIn, ethereum);
  await withRuns(open, senderFor, { ...options, subject: 'the keys of verdicts', tell }, async (sending) => {
    if (!(await confirmCosts(sending, { ...options, tell }))) return;
    await onEach(sending, ({ run, changes }) => sendChanges(run, changes));
    await onEach(sending, demandDone);
  });
}

function writeCalls(open: readonly VerdictsContract[], file: string): void {
  for (const { changesIn, nodes, changes } of open) {
    const { network } = nodes;
    const calls = changes.map((change) => ({ ...changesIn.callOf(change), text: changesIn.describe(change) }));
    writeSafeBatch(calldataFileFor(file, network.network, open.length === 1), network, 'Keys of verdicts', calls);
  }
}

async function demandDone({ changed, changes }: VerdictsContract): Promise<void> {
  const missing = await changed.findMissing(changes);
  if (missing.length > 0)
    throw new Failure(`the chain does not show the change: ${missing.map(changed.describe).join('; ')}`);
  tell(`${changed.network}: done and final`);
}
