import type { AbiParameter, AbiStateMutability, ContractFunctionArgs, DecodeFunctionDataReturnType, Hex } from 'viem';
import {
  decodeAbiParameters,
  decodeEventLog,
  encodeAbiParameters,
  toEventSelector,
  toFunctionSelector,
} from 'viem/utils';

/** The used part of GatewayToken's interface (identity.com, gateway-eth 0.8.0). */

type Inputs = readonly AbiParameter[];

const of =
  <const Type extends string>(type: Type) =>
  <const Name extends string>(name: Name) =>
    ({ name, type }) as const;
const [address, bool, bytes32, uint, uint8] = [of('address'), of('bool'), of('bytes32'), of('uint256'), of('uint8')];
const indexed = <const Input extends AbiParameter>(input: Input) => ({ ...input, indexed: true }) as const;

const view = <const Name extends string, const I extends Inputs, const O extends Inputs>(
  name: Name,
  inputs: I,
  outputs: O,
) => ({ type: 'function', name, stateMutability: 'view', inputs, outputs }) as const;
const payable = <const Name extends string, const I extends Inputs>(name: Name, inputs: I) =>
  ({ type: 'function', name, stateMutability: 'payable', inputs, outputs: [] }) as const;
const ofToken = <const Name extends string>(name: Name) =>
  ({ type: 'function', name, stateMutability: 'nonpayable', inputs: [uint('tokenId')], outputs: [] }) as const;
const event = <const Name extends string, const I extends Inputs>(name: Name, inputs: I) =>
  ({ type: 'event', name, inputs }) as const;
const error = <const Name extends string, const I extends Inputs>(name: Name, inputs: I) =>
  ({ type: 'error', name, inputs }) as const;

const charge = {
  name: 'charge',
  type: 'tuple',
  components: [uint('value'), uint8('chargeType'), address('token'), address('tokenSender'), address('recipient')],
} as const;
const token = uint('tokenId');

export const GATEWAY_ABI = [
  payable('mint', [address('to'), uint('network'), uint('expiration'), uint('mask'), charge]),
  payable('setExpiration', [token, uint('timestamp'), charge]),
  ofToken('freeze'),
  ofToken('unfreeze'),
  ofToken('revoke'),
  view(
    'getTokenIdsByOwnerAndNetwork',
    [address('owner'), uint('network'), bool('onlyActive')],
    [{ name: 'ids', type: 'uint256[]' }],
  ),
  view(
    'getToken',
    [token],
    [address('owner'), uint8('state'), { name: 'identity', type: 'string' }, uint('expiration'), uint('bitmask')],
  ),
  view('isSuperAdmin', [address('account')], [bool('result')]),
  view('isGatekeeper', [address('gatekeeper'), uint('network')], [bool('result')]),
  view('networkHasFeature', [uint('network'), uint8('feature')], [bool('result')]),
  // From ERC-2771.
  view('isTrustedForwarder', [address('forwarder')], [bool('result')]),
  // From ERC-3525. The slot is the gatekeeper network.
  view('slotOf', [token], [uint('slot')]),
  event('Transfer', [indexed(address('from')), indexed(address('to')), indexed(token)]),
  event('SlotChanged', [indexed(token), indexed(uint('oldSlot')), indexed(uint('newSlot'))]),
  event('Freeze', [indexed(token)]),
  event('Unfreeze', [indexed(token)]),
  event('Revoke', [indexed(token)]),
  event('Expiration', [indexed(token), uint('timestamp')]),
  // The domain of a gatekeeper's role is the slot.
  event('RoleGranted', [
    indexed(bytes32('role')),
    uint('domain'),
    indexed(address('account')),
    indexed(address('sender')),
  ]),
  event('RoleRevoked', [
    indexed(bytes32('role')),
    uint('domain'),
    indexed(address('account')),
    indexed(address('sender')),
  ]),
  // From ERC-1967.
  event('Upgraded', [indexed(address('implementation'))]),
  error('Common__Unauthorized', [address('sender'), uint('domain'), bytes32('role')]),
  error('GatewayToken__NetworkDoesNotExist', [uint('network')]),
  error('GatewayToken__TokenDoesNotExist', [token]),
  error('GatewayToken__TokenDoesNotExistOrIsInactive', [token, bool('allowExpired')]),
  error('GatewayToken__TokenInvalidStateForOperation', [token, uint8('state'), uint8('expectedState')]),
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

/** Returns the topic that names an event. */
export function topicOf(name: Item<'event'>['name']): Hex {
  for (const [selector, item] of events()) if (item.name === name) return selector as Hex;
  throw new Error(`the contract has no event ${name}`);
}

/** Returns the event of a log; undefined for events that are not in `abi.ts`. Throws if the data cannot be decoded. */
export function decodeLog(topics: readonly Hex[], data: Hex) {
  const item = events().get(topics[0] ?? '');
  return item && decodeEventLog({ abi: [item], topics: topics as [Hex, ...Hex[]], data });
}
