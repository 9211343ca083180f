import type { AbiStateMutability, ContractFunctionArgs, DecodeFunctionDataReturnType, Hex } from 'viem';
import {
  decodeAbiParameters,
  decodeEventLog,
  encodeAbiParameters,
  toEventSelector,
  toFunctionSelector,
} from 'viem/utils';

/** The used part of GatewayToken's interface (identity.com, gateway-eth 0.8.0). */

const charge = {
  name: 'charge',
  type: 'tuple',
  components: [
    { name: 'value', type: 'uint256' },
    { name: 'chargeType', type: 'uint8' },
    { name: 'token', type: 'address' },
    { name: 'tokenSender', type: 'address' },
    { name: 'recipient', type: 'address' },
  ],
} as const;

const uint = (name: string) => ({ name, type: 'uint256' }) as const;
const indexed = (name: string) => ({ name, type: 'uint256', indexed: true }) as const;

const ofToken = <const Name extends string>(name: Name) =>
  ({ type: 'function', name, stateMutability: 'nonpayable', inputs: [uint('tokenId')], outputs: [] }) as const;
const tokenEvent = <const Name extends string>(name: Name) =>
  ({ type: 'event', name, inputs: [indexed('tokenId')] }) as const;

export const GATEWAY_ABI = [
  {
    type: 'function',
    name: 'mint',
    stateMutability: 'payable',
    inputs: [{ name: 'to', type: 'address' }, uint('network'), uint('expiration'), uint('mask'), charge],
    outputs: [],
  },
  {
    type: 'function',
    name: 'setExpiration',
    stateMutability: 'payable',
    inputs: [uint('tokenId'), uint('timestamp'), charge],
    outputs: [],
  },
  ofToken('freeze'),
  ofToken('unfreeze'),
  ofToken('revoke'),
  {
    type: 'function',
    name: 'getTokenIdsByOwnerAndNetwork',
    stateMutability: 'view',
    inputs: [{ name: 'owner', type: 'address' }, uint('network'), { name: 'onlyActive', type: 'bool' }],
    outputs: [{ name: 'ids', type: 'uint256[]' }],
  },
  {
    type: 'function',
    name: 'getToken',
    stateMutability: 'view',
    inputs: [uint('tokenId')],
    outputs: [
      { name: 'owner', type: 'address' },
      { name: 'state', type: 'uint8' },
      { name: 'identity', type: 'string' },
      uint('expiration'),
      uint('bitmask'),
    ],
  },
  // From ERC-3525. The slot is the gatekeeper network.
  { type: 'function', name: 'slotOf', stateMutability: 'view', inputs: [uint('tokenId')], outputs: [uint('slot')] },
  {
    type: 'event',
    name: 'Transfer',
    inputs: [
      { name: 'from', type: 'address', indexed: true },
      { name: 'to', type: 'address', indexed: true },
      indexed('tokenId'),
    ],
  },
  { type: 'event', name: 'SlotChanged', inputs: [indexed('tokenId'), indexed('oldSlot'), indexed('newSlot')] },
  tokenEvent('Freeze'),
  tokenEvent('Unfreeze'),
  tokenEvent('Revoke'),
  { type: 'event', name: 'Expiration', inputs: [indexed('tokenId'), uint('timestamp')] },
  {
    type: 'error',
    name: 'Common__Unauthorized',
    inputs: [{ name: 'sender', type: 'address' }, uint('domain'), { name: 'role', type: 'bytes32' }],
  },
  { type: 'error', name: 'GatewayToken__NetworkDoesNotExist', inputs: [uint('network')] },
  { type: 'error', name: 'GatewayToken__TokenDoesNotExist', inputs: [uint('tokenId')] },
  {
    type: 'error',
    name: 'GatewayToken__TokenDoesNotExistOrIsInactive',
    inputs: [uint('tokenId'), { name: 'allowExpired', type: 'bool' }],
  },
  {
    type: 'error',
    name: 'GatewayToken__TokenInvalidStateForOperation',
    inputs: [uint('tokenId'), { name: 'state', type: 'uint8' }, { name: 'expectedState', type: 'uint8' }],
  },
] as const;

/**
 * Calls and logs name functions and events by the hash of their signature. Hashing takes longer than the rest of encoding and
 * decoding, so each isolate hashes each signature once, at the first call or log.
 */

type Gateway = typeof GATEWAY_ABI;
type Item<Type extends Gateway[number]['type']> = Extract<Gateway[number], { type: Type }>;

const functions = indexBySelector('function', toFunctionSelector);
const events = indexBySelector('event', toEventSelector);

/** Returns a function for the items of that type by selector. Its first call builds the index. */
function indexBySelector<Type extends 'function' | 'event'>(type: Type, selectorOf: (item: Item<Type>) => Hex) {
  let items: ReadonlyMap<string, Item<Type>> | undefined;
  return () => {
    const isOfType = (item: Gateway[number]): item is Item<Type> => item.type === type;
    items ??= new Map(GATEWAY_ABI.filter(isOfType).map((item) => [selectorOf(item), item]));
    return items;
  };
}

/** Returns the data of a call of the contract. */
export function encodeCall<const Name extends Item<'function'>['name']>(
  name: Name,
  args: ContractFunctionArgs<Gateway, AbiStateMutability, Name>,
): Hex {
  for (const [selector, item] of functions()) {
    if (item.name === name) return `${selector}${encodeAbiParameters(item.inputs, args as never).slice(2)}` as Hex;
  }
  throw new Error(`the contract has no function ${name}`);
}

/** Returns the function and its arguments; undefined for any other function. Throws if the arguments cannot be decoded. */
export function decodeCall(data: Hex): DecodeFunctionDataReturnType<Gateway> | undefined {
  const item = functions().get(data.slice(0, 10));
  if (item === undefined) return undefined;
  const args = decodeAbiParameters(item.inputs, `0x${data.slice(10)}`);
  return { functionName: item.name, args } as DecodeFunctionDataReturnType<Gateway>;
}

/** Returns the event of a log; undefined for events that are not in `abi.ts`. Throws if the data cannot be decoded. */
export function decodeLog(topics: readonly Hex[], data: Hex) {
  const item = events().get(topics[0] ?? '');
  return item && decodeEventLog({ abi: [item], topics: topics as [Hex, ...Hex[]], data });
}
