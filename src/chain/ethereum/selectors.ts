import type { AbiStateMutability, ContractFunctionArgs, DecodeFunctionDataReturnType, Hex } from 'viem';
import {
  decodeAbiParameters,
  decodeEventLog,
  encodeAbiParameters,
  toEventSelector,
  toFunctionSelector,
} from 'viem/utils';
import { GATEWAY_ABI } from './abi.ts';

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
