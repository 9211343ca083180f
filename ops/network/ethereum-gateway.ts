import { type Hex, parseAbi, zeroAddress } from 'viem';
import {
  decodeAbiParameters,
  decodeErrorResult,
  decodeEventLog,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  toBytes,
} from 'viem/utils';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, jsonRpc } from '../../src/chain/json-rpc.ts';
import { redactContractText } from '../../src/chain/json-rpc-batch.ts';
import { type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import type { EthereumNetwork } from '../../src/network/network.ts';
import { OWNERLESS_CONTRACT } from '../../src/network/networks.ts';
import { Failure } from '../../terminal/failure.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { type Change, describeChange, type Standing } from './change.ts';
import type { EthereumChanges } from './ethereum-sender.ts';
import { findMissing, type Gateway, type Question } from './gateway.ts';
import { slimContract } from './slim-build.ts';

/** The functions of GatewayToken that manage a gatekeeper network. They are the same in all of its builds; SlimGateway renames nothing. */
const ABI = parseAbi([
  'function createNetwork(uint256 network, string name, bool daoGoverned, address daoManager)',
  'function renameNetwork(uint256 network, string name)',
  'function addGatekeeper(address gatekeeper, uint256 network)',
  'function removeGatekeeper(address gatekeeper, uint256 network)',
  'function addNetworkAuthority(address authority, uint256 network)',
  'function removeNetworkAuthority(address authority, uint256 network)',
  'function getNetwork(uint256 network) view returns (string)',
  'function isGatekeeper(address gatekeeper, uint256 network) view returns (bool)',
  'function isNetworkAuthority(address authority, uint256 network) view returns (bool)',
  'function getRoleAdmin(bytes32 role, uint256 domain) view returns (bytes32)',
  'event RoleGranted(bytes32 indexed role, uint256 domain, address indexed account, address indexed sender)',
  'function networkHasFeature(uint256 network, uint8 feature) view returns (bool)',
  'error Common__Unauthorized(address sender, uint256 domain, bytes32 role)',
  'error GatewayToken__NetworkAlreadyExists(uint256 network)',
  'error GatewayToken__NetworkDoesNotExist(uint256 network)',
  'error ParameterizedAccessControl__NoSelfAdminRemoval()',
  'error SlimGateway__NotSupported(bytes4 selector)',
  'error SlimGateway__PrefixTaken(uint256 network, uint256 otherNetwork)',
]);

/**
 * The role of authorities. The contract sets its admin when it creates a gatekeeper network, also one with an empty name, which an
 * older build lets anybody create again.
 */
const AUTHORITY_ROLE = keccak256(toBytes('NETWORK_AUTHORITY_ROLE'));
const NO_ROLE = `0x${'0'.repeat(64)}`;

/** The only feature of the contract: without its gatekeeper, a token is not valid. */
export const REMOVAL_VOIDS_TOKENS = 'removing a gatekeeper voids its tokens';
const REMOVAL_VOIDS_TOKENS_BIT = 0;

/** Returns the gatekeeper network with that slot in the contract of a network. */
export function openEthereumGateway({ network, endpoints }: NetworkNodes & { network: EthereumNetwork }, slot: bigint) {
  const { gateway: address } = network;
  const send = jsonRpc(endpoints, rpc.identityOf(network));
  const read = (question: Question) => readStanding(send, address, slot, question);
  const gateway: Gateway = {
    network: network.network,
    address,
    blockMs: network.blockMs,
    describe: describeChange,
    findMissing: (changes) => findMissing({ read }, changes),
    read,
    readNewAuthorities: (fromBlock) => readNewAuthorities(send, address, slot, fromBlock),
  };
  return { gateway, send, network, slot };
}

type EthereumGateway = ReturnType<typeof openEthereumGateway>;

/** No contract exists at the address. Anybody can create the ownerless one. */
export class MissingContract extends Failure {
  constructor(address: string) {
    super(`no contract exists at ${address}: ${creationOf(address) ?? 'set `gateway` in NETWORKS'}`);
  }
}

/** Returns how to create the contract with that address; undefined: it is none of those that nobody commands. */
export function creationOf(address: string): string | undefined {
  const isAt = (contract: string) => address.toLowerCase() === contract.toLowerCase();
  if (isAt(OWNERLESS_CONTRACT)) return 'create it with `npm run network -- deploy`';
  return isAt(slimContract()) ? 'create it with `npm run network -- deploy --contract slim`' : undefined;
}

async function readStanding(send: JsonRpc, to: Hex, slot: bigint, question: Question): Promise<Standing> {
  const { authorities, gatekeepers } = question;
  const calls = [
    encodeFunctionData({ abi: ABI, functionName: 'getNetwork', args: [slot] }),
    encodeFunctionData({ abi: ABI, functionName: 'getRoleAdmin', args: [AUTHORITY_ROLE, slot] }),
    encodeFunctionData({ abi: ABI, functionName: 'networkHasFeature', args: [slot, REMOVAL_VOIDS_TOKENS_BIT] }),
    ...authorities.map((each) =>
      encodeFunctionData({ abi: ABI, functionName: 'isNetworkAuthority', args: [each as Hex, slot] }),
    ),
    ...gatekeepers.map((each) =>
      encodeFunctionData({ abi: ABI, functionName: 'isGatekeeper', args: [each as Hex, slot] }),
    ),
  ];
  const [head, code, name, admin, ...answers] = await send([
    rpc.newestBlock,
    rpc.code(to),
    ...calls.map((data) => rpc.call({ to, data })),
  ]);
  if (resultOf(code) === '0x') throw new MissingContract(to);
  const found = String(decode('string', name));
  const [hasFeature, ...flags] = answers.map((answer) => decode('bool', answer) === true);
  return {
    exists: found !== '' || resultOf(admin) !== NO_ROLE,
    name: found === '' ? undefined : found,
    authorities: new Map(authorities.map((address, index) => [address, flags[index] === true])),
    gatekeepers: new Map(gatekeepers.map((address, index) => [address, flags[authorities.length + index] === true])),
    features: hasFeature ? [REMOVAL_VOIDS_TOKENS] : [],
    block: Number(rpc.blockOf(head).number),
  };
}

async function readNewAuthorities(send: JsonRpc, address: Hex, slot: bigint, fromBlock: number): Promise<string[]> {
  const [event] = encodeEventTopics({ abi: ABI, eventName: 'RoleGranted', args: { role: AUTHORITY_ROLE } });
  const filter = { address, topics: [event, AUTHORITY_ROLE], fromBlock: rpc.hex(fromBlock), toBlock: 'latest' };
  const [answer] = await send([{ method: 'eth_getLogs', params: [filter] }]);
  const logs = resultOf<{ data: Hex; topics: [Hex, ...Hex[]] }[]>(answer);
  return logs.flatMap((log) => {
    const { args } = decodeEventLog({ abi: ABI, eventName: 'RoleGranted', ...log });
    return args.domain === slot ? args.account : [];
  });
}

function decode(type: 'string' | 'bool', answer: RpcAnswer | undefined): unknown {
  try {
    return decodeAbiParameters([{ type }], resultOf<Hex>(answer))[0];
  } catch {
    throw new Failure('the contract does not answer as GatewayToken');
  }
}

/** Returns the data of the call that makes the change. */
function encodeChange(change: Change, slot: bigint): Hex {
  switch (change.type) {
    case 'create':
      return encodeFunctionData({
        abi: ABI,
        functionName: 'createNetwork',
        args: [slot, change.name, false, zeroAddress],
      });
    case 'rename':
      return encodeFunctionData({ abi: ABI, functionName: 'renameNetwork', args: [slot, change.name] });
    default:
      return encodeFunctionData({
        abi: ABI,
        functionName: FUNCTION_OF[change.type],
        args: [change.address as Hex, slot],
      });
  }
}

const FUNCTION_OF = {
  'add-gatekeeper': 'addGatekeeper',
  'remove-gatekeeper': 'removeGatekeeper',
  'add-authority': 'addNetworkAuthority',
  'remove-authority': 'removeNetworkAuthority',
} as const;

/** Returns how an account changes the gatekeeper network. */
export function changesIn({ gateway, send, network, slot }: EthereumGateway): EthereumChanges<Change> {
  const callOf = (change: Change) => ({ to: gateway.address as Hex, data: encodeChange(change, slot) });
  return {
    network,
    send,
    maxGasOf: () => BigInt(network.maxGas),
    describe: describeChange,
    callOf,
    sampleOf({ type }, changes) {
      const creation = changes.find((each) => each.type === 'create');
      // No other change writes as much state as the creation: a gatekeeper takes half of its gas.
      return type === 'create' || creation === undefined ? undefined : { of: callOf(creation), percent: 100n };
    },
    reasonOf,
  };
}

function reasonOf(revert: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: ABI, data: revert });
    // Solidity's own Error(string) is decoded too.
    return (errorName as string) === 'Error' ? redactContractText(String(args?.[0])) : errorName;
  } catch {
    return 'for an unknown reason';
  }
}
