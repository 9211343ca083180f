import * as AbiParameters from 'ox/AbiParameters';
import { bytesToHex, type Hex, hexToBytes, keccak256 } from '../../lib/bytes.ts';

/** Encodes and decodes values of the types that the contract's interface uses (Solidity's contract ABI specification), with ox. */

interface Values {
  readonly address: Hex;
  readonly bool: boolean;
  readonly bytes32: Hex;
  readonly uint8: number;
  readonly uint256: bigint;
  /** Only decoded. */
  readonly string: string;
  /** Only decoded. */
  readonly 'uint256[]': readonly bigint[];
}
type Type = keyof Values;

interface Field<T extends Type> {
  readonly name: string;
  readonly type: T;
}
/** A struct whose fields have a word each. */
interface Struct {
  readonly name: string;
  readonly type: 'tuple';
  readonly components: readonly Field<Exclude<Type, 'string' | 'uint256[]'>>[];
}
export type Parameter = (Field<Type> & { readonly indexed?: boolean }) | Struct;

export type ValueOf<P> = P extends { readonly type: infer T extends Type }
  ? Values[T]
  : P extends { readonly components: infer C extends readonly Parameter[] }
    ? NamedValuesOf<C>
    : never;
export type ValuesOf<I extends readonly Parameter[]> = { readonly [At in keyof I]: ValueOf<I[At]> };
type NamedValuesOf<I extends readonly Parameter[]> = {
  readonly [P in I[number] as P['name']]: ValueOf<P>;
};

/** Digits of a word, the unit of the encoding: 32 bytes. */
const WORD = 64;

/** Returns the digits of the values, one after the other. Throws if a value is not one of its type. */
export function encodeValues(parameters: readonly Parameter[], values: readonly unknown[]): string {
  return AbiParameters.encode(parameters as AbiParameters.AbiParameters, values as never, STRICT).slice(2);
}

/** An address has its checksum; one that is given in lower case has none. */
const STRICT = { checksumAddress: true } as const;

/**
 * Returns the values that begin at the start of the data. Ignores data after them, and the unused bits of an address. Throws if a
 * value cannot be read, and in these cases, in which ox reads something:
 * - the data is not whole bytes, or ends before the head does
 * - a text or a list begins before the end of the head, where no compiler puts it
 * - a number of eight bits is above 2^53
 */
export function decodeValues(parameters: readonly Parameter[], data: Hex): unknown[] {
  if (data.length % 2 !== 0 || !/^0x[0-9a-f]*$/i.test(data)) throw new Error('the data is not whole bytes');
  const types = parameters.flatMap((each) =>
    (each.type === 'tuple' ? each.components : [each]).map(({ type }) => type),
  );
  const head = types.length * WORD;
  if (data.length - 2 < head) throw new Error('the data ends before a value does');
  for (const [at, type] of types.entries()) {
    if (type !== 'string' && type !== 'uint256[]' && type !== 'uint8') continue;
    const number = BigInt(`0x${data.slice(2 + at * WORD, 2 + (at + 1) * WORD)}`);
    if (type === 'uint8' && number > MAX_SAFE) throw new Error('a number is above 2^53');
    if (type !== 'uint8' && number < head / 2) throw new Error('a text or a list begins in the head');
  }
  const bytesForTexts = parameters.map((each) => (each.type === 'string' ? { ...each, type: 'bytes' } : each));
  const values = AbiParameters.decode(bytesForTexts as AbiParameters.AbiParameters, data, STRICT) as unknown[];
  return values.map((value, at) => (parameters[at]?.type === 'string' ? textIn(value as Hex) : value));
}

/** ox would drop the zeros with which a text begins. */
const textIn = (bytes: Hex): string => new TextDecoder().decode(hexToBytes(bytes));

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/** The used part of GatewayToken's interface (identity.com, gateway-eth 0.8.0), and the error of SlimGateway that a call may meet. */

type Inputs = readonly Parameter[];

const of =
  <const Type extends string>(type: Type) =>
  <const Name extends string>(name: Name) =>
    ({ name, type }) as const;
const [address, bool, bytes32, uint, uint8] = [of('address'), of('bool'), of('bytes32'), of('uint256'), of('uint8')];
const indexed = <const Input extends Parameter>(input: Input) => ({ ...input, indexed: true }) as const;

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
  error('SlimGateway__TokenExists', [token]),
] as const;

/** The errors of Solidity itself: a failed `require` with a text, and a failed check of the compiler. */
const SOLIDITY_ERRORS = [
  error('Error', [{ name: 'message', type: 'string' }]),
  error('Panic', [uint('reason')]),
] as const;

type Item<Kind extends string> = Extract<(typeof GATEWAY_ABI)[number], { readonly type: Kind }>;
type Named<Kind extends string, Name> = Extract<Item<Kind>, { readonly name: Name }>;
type FunctionName = Item<'function'>['name'];
type EventName = Item<'event'>['name'];
/** The functions that only read. */
type ViewName = Extract<Item<'function'>, { readonly stateMutability: 'view' }>['name'];

/**
 * Calls, logs and reverts name functions, events and errors by the hash of their signature. Hashing takes longer than the rest of
 * encoding and decoding, so each isolate hashes each signature once, at the first use of its kind.
 */
interface Signed {
  readonly type: string;
  readonly name: string;
  readonly inputs: Inputs;
}

const typeOf = (parameter: Parameter): string =>
  parameter.type === 'tuple' ? `(${parameter.components.map(typeOf).join()})` : parameter.type;

const hashSignature = ({ name, inputs }: Signed): Hex =>
  bytesToHex(keccak256(new TextEncoder().encode(`${name}(${inputs.map(typeOf).join()})`)));

/** Length of a selector in a text: its four bytes, and the prefix. An event has the whole hash. */
const SELECTOR_CHARS = 10;
const selectorOf = (item: Signed) => hashSignature(item).slice(0, SELECTOR_CHARS);

const functions = indexOf<Item<'function'>>(() => GATEWAY_ABI.filter((item) => item.type === 'function'), selectorOf);
const events = indexOf<Item<'event'>>(() => GATEWAY_ABI.filter((item) => item.type === 'event'), hashSignature);
const errors = indexOf<Signed>(
  () => [...GATEWAY_ABI.filter((item) => item.type === 'error'), ...SOLIDITY_ERRORS],
  selectorOf,
);

/** Returns a function for the items by their hash. Its first call builds the index. */
function indexOf<I extends Signed>(itemsOf: () => readonly I[], hashOf: (item: I) => string) {
  let items: ReadonlyMap<string, I> | undefined;
  return () => {
    items ??= new Map(itemsOf().map((item) => [hashOf(item), item]));
    return items;
  };
}

function findByName<I extends Signed>(items: ReadonlyMap<string, I>, name: I['name']): [string, I] {
  for (const entry of items) if (entry[1].name === name) return entry;
  throw new Error(`the contract has no ${name}`);
}

/** Returns the data of a call of the contract. Throws if an argument is not one of its type. */
export function encodeCall<const Name extends FunctionName>(
  name: Name,
  args: ValuesOf<Named<'function', Name>['inputs']>,
): Hex {
  const [selector, { inputs }] = findByName(functions(), name);
  return `${selector}${encodeValues(inputs, args)}` as Hex;
}

type Call = {
  [Name in FunctionName]: { readonly functionName: Name; readonly args: ValuesOf<Named<'function', Name>['inputs']> };
}[FunctionName];

/** Returns the function and its arguments; undefined for any other function. Throws if the arguments cannot be decoded. */
export function decodeCall(data: Hex): Call | undefined {
  const item = functions().get(data.slice(0, SELECTOR_CHARS));
  if (item === undefined) return undefined;
  return { functionName: item.name, args: decodeValues(item.inputs, argumentsIn(data)) } as unknown as Call;
}

const argumentsIn = (data: Hex): Hex => `0x${data.slice(SELECTOR_CHARS)}`;

type Results<Name extends ViewName> = ValuesOf<Named<'function', Name>['outputs']>;

/** Returns the values in the answer to a call. Throws if they cannot be decoded. */
export function decodeResults<const Name extends ViewName>(name: Name, data: Hex): Results<Name> {
  const [, { outputs }] = findByName(functions(), name);
  return decodeValues(outputs, data) as unknown as Results<Name>;
}

/** Returns the name and the arguments in the data of a revert; undefined for any other error. Throws if they cannot be decoded. */
export function decodeError(data: Hex): { readonly name: string; readonly args: readonly unknown[] } | undefined {
  const item = errors().get(data.slice(0, SELECTOR_CHARS));
  return item && { name: item.name, args: decodeValues(item.inputs, argumentsIn(data)) };
}

/** Returns the topic that names an event. */
export const topicOf = (name: EventName): Hex => findByName(events(), name)[0] as Hex;

export type Event = {
  [Name in EventName]: { readonly eventName: Name; readonly args: NamedValuesOf<Named<'event', Name>['inputs']> };
}[EventName];

/** Returns the event of a log; undefined for events that are not in `abi.ts`. Throws if the log cannot be decoded. */
export function decodeLog([hash, ...topics]: readonly Hex[], data: Hex): Event | undefined {
  const item = events().get(hash ?? '');
  if (item === undefined) return undefined;
  const inputs: Inputs = item.inputs;
  // Each indexed argument has a topic. The others are in the data.
  const isIndexed = (input: Parameter) => 'indexed' in input && input.indexed === true;
  const indexed = inputs.filter(isIndexed);
  const others = inputs.filter((input) => !isIndexed(input));
  const values = [
    ...indexed.flatMap((input, at) => decodeValues([input], topics[at] ?? '0x')),
    ...(others.length > 0 ? decodeValues(others, data) : []),
  ];
  const args = Object.fromEntries([...indexed, ...others].map(({ name }, at) => [name, values[at]]));
  return { eventName: item.name, args } as unknown as Event;
}
