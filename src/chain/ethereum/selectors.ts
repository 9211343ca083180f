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
 * Calls and logs name functions and events by the hash of their signature, and to hash takes longer than all the rest that is
 * done to them: each is hashed once in an isolate, when the first call or log comes.
 */

type Gateway = typeof GATEWAY_ABI;
type Item<Type extends Gateway[number]['type']> = Extract<Gateway[number], { type: Type }>;

const functions = indexBySelector('function', toFunctionSelector);
const events = indexBySelector('event', toEventSelector);

/** The items of that type by selector, made when they are first asked for. */
function indexBySelector<Type extends 'function' | 'event'>(type: Type, selectorOf: (item: Item<Type>) => Hex) {
  let items: ReadonlyMap<string, Item<Type>> | undefined;
  return () => {
    const isOfType = (item: Gateway[number]): item is Item<Type> => item.type === type;
    items ??= new Map(GATEWAY_ABI.filter(isOfType).map((item) => [selectorOf(item), item]));
    return items;
  };
}

/** The data of a call of the contract. */
export function encodeCall<const Name extends Item<'function'>['name']>(
  name: Name,
  args: ContractFunctionArgs<Gateway, AbiStateMutability, Name>,
): Hex {
  for (const [selector, item] of functions()) {
    if (item.name === name) return `${selector}${encodeAbiParameters(item.inputs, args as never).slice(2)}` as Hex;
  }
  throw new Error(`the contract has no function ${name}`);
}

/** The function and its arguments; undefined for a call of another function. Throws for data that is no such call. */
export function decodeCall(data: Hex): DecodeFunctionDataReturnType<Gateway> | undefined {
  const item = functions().get(data.slice(0, 10));
  if (item === undefined) return undefined;
  const args = decodeAbiParameters(item.inputs, `0x${data.slice(10)}`);
  return { functionName: item.name, args } as DecodeFunctionDataReturnType<Gateway>;
}

/** What a log tells; undefined for other events than those in `abi.ts`. Throws for data that is no such event. */
export function decodeLog(topics: readonly Hex[], data: Hex) {
  const item = events().get(topics[0] ?? '');
  return item && decodeEventLog({ abi: [item], topics: topics as [Hex, ...Hex[]], data });
}
