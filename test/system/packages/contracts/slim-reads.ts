import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  toBytes,
  toFunctionSelector,
} from 'viem';
import { SLIM, tokenIdOf } from './slim-gateway.ts';
import { ACTORS, FIRST, LACKING, PAIRS, type Pair, READER, SLOTS, type Step, ZERO } from './slim-stories.ts';

/** Runs calls on a node that keeps no effect of them, and reads all facts of a gateway contract. */

export interface Log {
  readonly topics: readonly [Hex, ...Hex[]];
  readonly data: Hex;
}
export interface Result {
  readonly status: Hex;
  readonly returnData: Hex;
  readonly logs: readonly Log[];
}

const ABI: Abi = [...SLIM.abi, ...LACKING];
export const encode = (functionName: string, args: readonly unknown[]) =>
  encodeFunctionData({ abi: ABI, functionName, args });
const READER_ABI = parseAbi([
  'struct Answer { bool success; bytes data; }',
  'function read(address target, bytes[] calls) view returns (Answer[])',
]);

interface NodeCall {
  readonly from: Address;
  readonly to: Address;
  readonly data: Hex;
  readonly value?: Hex;
}
export interface Timed {
  readonly time: number;
  readonly call: NodeCall;
}
/** Asks the node. */
export type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>;

/** Runs the calls one after another on the newest state of the node, which does not keep their effects. */
export async function simulate(ask: Ask, calls: readonly Timed[]): Promise<Result[]> {
  const blocks: { time: number; calls: NodeCall[] }[] = [];
  for (const { time, call } of calls) {
    if (blocks.at(-1)?.time !== time) blocks.push({ time, calls: [] });
    blocks.at(-1)?.calls.push(call);
  }
  const balances = Object.fromEntries(ACTORS.map((each) => [each, { balance: '0xde0b6b3a7640000' }]));
  const blockStateCalls = blocks.map(({ time, calls }) => ({
    blockOverrides: { time: numberToHex(time) },
    stateOverrides: balances,
    calls,
  }));
  const found = (await ask('eth_simulateV1', [{ blockStateCalls }, 'latest'])) as { calls: Result[] }[];
  return found.flatMap((block) => block.calls);
}

const roleOf = (name: string) => keccak256(toBytes(name));
export const [GATEKEEPER, AUTHORITY] = [roleOf('GATEKEEPER_ROLE'), roleOf('NETWORK_AUTHORITY_ROLE')];

/** Selectors of functions with a namesake. */
const VERIFY_OWNER = toFunctionSelector('verifyToken(address,uint256)');
const VERIFY_TOKEN = toFunctionSelector('verifyToken(uint256)');
export const word = (value: bigint | Address) => numberToHex(BigInt(value), { size: 32 }).slice(2);

export const LIST = 'getTokenIdsByOwnerAndNetwork';

/** The reads that name no token. */
export const PLAIN_READS: readonly Hex[] = [
  ...[...PAIRS, { wallet: ZERO, slot: FIRST }].flatMap(({ wallet, slot }): Hex[] => [
    `${VERIFY_OWNER}${word(wallet)}${word(slot)}`,
    encode(LIST, [wallet, slot, true]),
    encode(LIST, [wallet, slot, false]),
  ]),
  ...SLOTS.flatMap((slot) => [
    encode('getNetwork', [slot]),
    encode('networkHasFeature', [slot, 0]),
    // The enumeration of features has one member.
    encode('networkHasFeature', [slot, 1]),
    ...[GATEKEEPER, AUTHORITY].map((role) => encode('getRoleAdmin', [role, slot])),
    ...ACTORS.flatMap((each) => [
      encode('isGatekeeper', [each, slot]),
      encode('isNetworkAuthority', [each, slot]),
      encode('hasRole', [AUTHORITY, slot, each]),
    ]),
  ]),
  ...['DAO_MANAGER', 'GATEKEEPER', 'NETWORK_AUTHORITY', 'DEFAULT_ADMIN'].map((each) => encode(`${each}_ROLE`, [])),
];

/** The reads of a token by its id. */
export const readsOf = (id: bigint): Hex[] => [
  `${VERIFY_TOKEN}${word(id)}`,
  ...['getToken', 'ownerOf', 'slotOf', 'balanceOf', 'getExpiration', 'getIssuingGatekeeper'].map((name) =>
    encode(name, [id]),
  ),
];

/** The data of a call of the slim contract, or of 0.8.0 with its ids. */
export function dataOf({ name, args, token, tokens }: Step, idOf: (pair: Pair) => bigint): Hex {
  if (tokens) return encode(name, [tokens.map(idOf)]);
  return encode(name, token ? [idOf(token), ...args] : args);
}

export const newIdOf = ({ wallet, slot }: Pair) => tokenIdOf(wallet, slot);
export const readCall = (time: number, target: Address, reads: readonly Hex[]): Timed => {
  const data = encodeFunctionData({ abi: READER_ABI, functionName: 'read', args: [target, reads] });
  return { time, call: { from: ZERO, to: READER, data } };
};
export const answersIn = ({ returnData }: Result) =>
  decodeFunctionResult({ abi: READER_ABI, functionName: 'read', data: returnData });

export type Answers = ReturnType<typeof answersIn>;
