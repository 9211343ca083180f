import { type Hex, parseAbi, zeroAddress } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import {
  decodeAbiParameters,
  decodeErrorResult,
  decodeEventLog,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  toBytes,
} from 'viem/utils';
import { Failure } from '../../scripts/failure.ts';
import { conditionCalls, type NetworkConditions, readConditions } from '../../src/chain/ethereum/network-conditions.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { broadcast } from '../../src/chain/ethereum/transaction.ts';
import { type JsonRpc, jsonRpc } from '../../src/chain/json-rpc.ts';
import { redactContractText } from '../../src/chain/json-rpc-batch.ts';
import { type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import type { Secret } from '../../src/lib/secret.ts';
import type { EthereumNetwork } from '../../src/network/network.ts';
import { formatWei } from '../amounts.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { type Change, describeChange, type Standing } from './change.ts';
import { type Gateway, type Progress, type Question, refusalIn, type Sender } from './gateway.ts';
import type { SignedTransaction } from './transactions-file.ts';

/** The functions of GatewayToken that manage a gatekeeper network. They are the same in all of its builds. */
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
  const gateway: Gateway = {
    network: network.network,
    address,
    blockMs: network.blockMs,
    read: (question) => readStanding(send, address, slot, question),
    readNewAuthorities: (fromBlock) => readNewAuthorities(send, address, slot, fromBlock),
  };
  return { gateway, send, network, slot };
}

type EthereumGateway = ReturnType<typeof openEthereumGateway>;

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
  if (resultOf(code) === '0x') throw new Failure(`no contract exists at ${to}`);
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
export function encodeChange(change: Change, slot: bigint): Hex {
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

/** Gas of a change that cannot be simulated yet, because an earlier change must come first. Measured, with a margin. */
const GAS_AFTER_ANOTHER = 120_000n;
/** The state may change until a block includes the transaction. */
const GAS_MARGIN_PERCENT = 30n;

/** Returns the sender for an account with that key. */
export function createEthereumSender(opened: EthereumGateway, key: Secret<Hex>): Sender {
  const { gateway, send, network, slot } = opened;
  const account = privateKeyToAccount(key());
  const callOf = (change: Change) => ({ from: account.address, to: gateway.address, data: encodeChange(change, slot) });

  async function readGas(change: Change): Promise<bigint> {
    const [answer] = await send([rpc.estimateGas(callOf(change))]);
    const revert = answer && rpc.revertData(answer);
    if (revert !== undefined)
      throw new Failure(`the contract refuses to ${describeChange(change)}: ${reasonOf(revert)}`);
    const gas = (rpc.quantityOf(answer) * (100n + GAS_MARGIN_PERCENT)) / 100n;
    if (gas > BigInt(network.maxGas)) throw new Failure(`the call needs more gas than maxGas (${network.maxGas})`);
    return gas;
  }

  async function readMarket(): Promise<NetworkConditions> {
    const conditions = readConditions(await send(conditionCalls(account.address, network)), network);
    if (conditions.isTooDear || conditions.isL1TooDear)
      throw new Failure('the network charges more than its fee caps (maxFeePerGas, maxL1Fee): try again later');
    return conditions;
  }

  return {
    gateway,
    account: account.address,
    async estimate(changes) {
      const { price } = await readMarket();
      const hasCreation = changes.some(({ type }) => type === 'create');
      const gas = changes.map((change) =>
        hasCreation && change.type !== 'create' ? GAS_AFTER_ANOTHER : readGas(change),
      );
      return (await Promise.all(gas)).map((each) => each * price.fee + (price.l1Fee ?? 0n));
    },
    async readFunds() {
      return rpc.quantityOf((await send([rpc.balance(account.address)]))[0]);
    },
    formatAmount: formatWei,
    async sign(change, firstNonce) {
      const gas = await readGas(change);
      const { price, nonces } = await readMarket();
      const nonce = Math.max(nonces.latest, firstNonce);
      if (nonces.pending > nonce)
        throw new Failure(
          `${account.address} has pending transactions that are not in the file of --state: wait until blocks include them`,
        );
      const { from: _, ...call } = callOf(change);
      const unsigned = { ...call, to: call.to as Hex, gas, nonce, chainId: network.chainId };
      const bytes = await account.signTransaction(
        network.fees === 'legacy'
          ? { ...unsigned, type: 'legacy', gasPrice: price.fee }
          : { ...unsigned, type: 'eip1559', maxFeePerGas: price.fee, maxPriorityFeePerGas: price.tip },
      );
      return { identifier: keccak256(bytes), bytes, nonce };
    },
    broadcast: async (signed) => refusalIn(await broadcast({ rpc: send }, [{ signed }])),
    track: (transaction) => trackTransaction(opened, account.address, transaction),
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

/** Returns the progress of the transaction. Only its receipt proves that a block includes it. */
async function trackTransaction(
  { send, network }: EthereumGateway,
  account: string,
  { identifier, nonce = 0 }: SignedTransaction,
): Promise<Progress> {
  const { final } = network;
  const [head, tagged, answer] = await send([
    rpc.blockNumber,
    'tag' in final ? rpc.block(final.tag) : rpc.blockNumber,
    rpc.receipt(identifier),
  ]);
  const height = Number(rpc.quantityOf(head));
  const finalBlock = 'tag' in final ? (rpc.numberOf(tagged) ?? -1) : height - final.depth;
  const receipt = resultOf<{ blockNumber?: Hex | null; status?: Hex } | null>(answer);
  if (typeof receipt?.blockNumber === 'string') {
    const block = Number(receipt.blockNumber);
    if (block <= finalBlock) return isReverted(receipt) ? 'failed' : 'final';
    if (height - block + 1 < network.confirmations) return 'pending';
    return isReverted(receipt) ? 'reverted' : 'included';
  }
  const [known, latest, used] = await send([
    rpc.transaction(identifier),
    rpc.nonce(account),
    rpc.nonceAt(account, rpc.hex(Math.max(finalBlock, 0))),
  ]);
  if (resultOf(known) !== null) return 'pending';
  if (finalBlock >= 0 && used && 'result' in used && rpc.countOf(used) > nonce) return 'lost';
  return rpc.countOf(latest) < nonce ? 'ahead' : 'pending';
}

const isReverted = ({ status }: { status?: Hex }) => status !== '0x1';
