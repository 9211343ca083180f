import { randomBytes } from 'node:crypto';
import { type Hex, parseAbi, zeroAddress } from 'viem';
import { encodeFunctionData, toFunctionSelector } from 'viem/utils';
import { ETHEREUM_ERRORS } from '../../src/chain/ethereum/node-answers.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';
import { needsAnother, type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import { slotOf } from '../../src/network/slot.ts';
import { checksumAddress } from '../../src/network/wallet.ts';
import { Failure } from '../../terminal/failure.ts';
import { printError } from '../../terminal/print.ts';
import { openNodes } from '../nodes/open-nodes.ts';
import type { AdapterCommand } from './adapter-command.ts';
import { type CheckerSettings, checkerCreationOf, readCheckerBuild } from './checker-build.ts';
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

/** The functions of the checker, and those of Uniswap's adapter and factory (docs/partners/permissioned-pools.md). */
const ABI = parseAbi([
  'function gateway() view returns (address)',
  'function gatekeeperNetwork() view returns (uint256)',
  'function owner() view returns (address)',
  'function supportsInterface(bytes4 interfaceId) view returns (bool)',
  'function checkAllowlist(address account, address tokenAddress) view returns (bytes2)',
  'function updateAllowListChecker(address newAllowListChecker)',
]);
const INTERFACE_ID = toFunctionSelector('checkAllowlist(address,address)');
const FLAGS = { withPass: '0x0003', withoutPass: '0x0000' } as const;
/** The networks on which Uniswap has permissioned pools (August 2026). */
const WITH_POOLS = ['mainnet', 'sepolia'];

/** A checker that the nodes of a network show, with the values that the issuer enters. */
export interface DeployedChecker {
  readonly network: string;
  readonly checker: Hex;
  readonly gateway: Hex;
  /** The slot of the gatekeeper network, in hex. */
  readonly slot: Hex;
  /** Null: nobody. */
  readonly owner: Hex | null;
  readonly interfaceId: Hex;
  readonly flags: typeof FLAGS;
  /** The data of the call `updateAllowListChecker` of an adapter that exists. */
  readonly updateAllowListChecker: Hex;
  /** The number of endpoints that showed the checker. */
  readonly endpoints: number;
}

interface CheckerTarget extends DeploymentTarget {
  readonly checker: Hex;
  readonly settings: CheckerSettings;
}

/**
 * Creates the checker on all named networks where it is missing, and verifies it on each; or writes the calls. Returns undefined if
 * it only writes calls, or only says what it would send. Throws Failure before the first transaction if one is impossible.
 * @param report Records the command before its first transaction.
 */
export async function deployCheckers(
  command: AdapterCommand,
  report: () => Promise<void> | undefined,
): Promise<DeployedChecker[] | undefined> {
  const { key, owner, ownerWithoutCode } = command;
  const tell = command.json ? printError : tellPlainly;
  const { named, slots } = openNodes(command.nodes);
  demandMainnetFlag(command, named);
  const slot = slotOf(key, slots);
  if (slot === undefined) throw new Failure(`${key} has no slot on Ethereum-type networks`);
  const targets = openOnEthereum(command, named, (nodes) => openChecker(nodes, slot, command));
  for (const { changed, checker, settings } of targets)
    tell(`${changed.network}: checker ${checker} asks ${settings.gateway}`);
  tell(`its owner is ${owner ?? 'nobody, and nobody can become it'}`);
  const made = await makeDeployments(command, {
    targets,
    subject: `the checker of ${key} for ${owner ?? 'nobody'}`,
    async plan(target) {
      await demandGatekeeperNetwork(target, key);
      if (owner !== undefined && !ownerWithoutCode) await demandCode(target.send, owner, '--owner-without-code');
      return planDeployment(target, command);
    },
    titleOf: ({ checker }) => `Checker ${checker}`,
    tell,
    report,
  });
  if (made === undefined) return undefined;
  return onEach(targets, (target) => verify(target, tell));
}

function openChecker(nodes: EthereumNodes, slot: bigint, { owner, factory }: AdapterCommand): CheckerTarget {
  const settings = { gateway: checksumAddress(nodes.network.gateway), slot, owner };
  const creation = checkerCreationOf(readCheckerBuild(), settings, factory);
  const parts = [{ kind: 'checker', creation }];
  return { ...openDeployment(nodes, parts, factory), checker: creation.address, settings };
}

/** Throws Failure if the contract or the gatekeeper network does not exist there: then the checker would admit nobody. */
async function demandGatekeeperNetwork({ nodes, settings }: CheckerTarget, key: string): Promise<void> {
  const { gateway } = openEthereumGateway(nodes, settings.slot);
  const { exists } = await gateway.read({ authorities: [], gatekeepers: [] });
  if (!exists)
    throw new Failure(
      `${key} does not exist in ${settings.gateway}: create it there, or name its contract with --contract`,
    );
}

async function verify(target: CheckerTarget, tell: (line: string) => void): Promise<DeployedChecker> {
  const { changed, checker, settings } = target;
  const endpoints = await countWitnesses(target.nodes, (send) => findDifference(send, target));
  tellWitnesses(changed.network, endpoints, 'checker', tell);
  return {
    network: changed.network,
    checker,
    gateway: settings.gateway,
    slot: rpc.hex(settings.slot),
    owner: settings.owner ?? null,
    interfaceId: INTERFACE_ID,
    flags: FLAGS,
    updateAllowListChecker: encodeFunctionData({ abi: ABI, functionName: 'updateAllowListChecker', args: [checker] }),
    endpoints,
  };
}

/** Returns the first difference as part of a sentence; undefined: the endpoint shows the checker as it was deployed. */
async function findDifference(
  send: JsonRpc,
  { checker: to, settings: { gateway, slot, owner = zeroAddress } }: CheckerTarget,
): Promise<string | undefined> {
  // Nobody has a pass for an address that was just chosen at random.
  const stranger: Hex = `0x${randomBytes(20).toString('hex')}`;
  const supports = (id: Hex) => encodeFunctionData({ abi: ABI, functionName: 'supportsInterface', args: [id] });
  const allowlist = encodeFunctionData({ abi: ABI, functionName: 'checkAllowlist', args: [stranger, zeroAddress] });
  const word = (value: Hex | bigint) => `0x${BigInt(value).toString(16).padStart(64, '0')}`;
  const questions: readonly (readonly [data: Hex, expected: string, difference: string])[] = [
    [encodeFunctionData({ abi: ABI, functionName: 'gateway' }), word(gateway), 'that it asks another contract'],
    [encodeFunctionData({ abi: ABI, functionName: 'gatekeeperNetwork' }), word(slot), 'another gatekeeper network'],
    [encodeFunctionData({ abi: ABI, functionName: 'owner' }), word(owner), 'another owner'],
    [supports(INTERFACE_ID), word(1n), `no interface ${INTERFACE_ID}`],
    [supports('0x01ffc9a7'), word(1n), 'no ERC-165'],
    [supports('0xffffffff'), word(0n), 'the interface 0xffffffff, which ERC-165 forbids'],
    [allowlist, word(0n), 'that it admits a wallet without a pass'],
  ];
  const [code, ...answers] = await send([rpc.code(to), ...questions.map(([data]) => rpc.call({ to, data }))]);
  const found = resultOf<Hex>(code);
  if (found === '0x') return `no checker at ${to}`;
  if (found.toLowerCase() !== readCheckerBuild().deployedBytecode) return `other code at ${to}`;
  const wrong = questions.findIndex(([, expected], index) => wordIn(answers[index]) !== expected);
  return wrong < 0 ? undefined : `${questions[wrong]?.[2]} at ${to}`;
}

/** A revert is an answer too. Throws RpcFault if there is none. */
function wordIn(answer: RpcAnswer | undefined): string {
  if (answer === undefined || needsAnother(answer, ETHEREUM_ERRORS)) return resultOf(answer);
  return 'result' in answer ? String(answer.result) : 'reverted';
}

/** Returns the lines for a reader: the values that the issuer enters. */
export function formatChecker({ network, ...shown }: DeployedChecker): string[] {
  return [
    `${network}:`,
    `  checker ${shown.checker}`,
    `  it asks ${shown.gateway} about the slot ${shown.slot}`,
    `  it answers ${shown.flags.withPass} (swap and liquidity) for a wallet with a valid pass, and ${shown.flags.withoutPass} otherwise`,
    `  for a new adapter: createPermissionsAdapter(token, owner, ${shown.checker})`,
    `  for an existing adapter, from its owner: updateAllowListChecker(${shown.checker})`,
    `  the data of that call: ${shown.updateAllowListChecker}`,
    ...(WITH_POOLS.includes(network)
      ? []
      : [`  in August 2026, permissioned pools existed on ${WITH_POOLS.join(' and ')} only`]),
  ];
}
