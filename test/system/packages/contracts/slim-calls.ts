import * as AbiParameters from 'ox/AbiParameters';
import {
  type AbiFunction,
  type AbiParameter,
  type Address,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  slice,
  stringToHex,
  toFunctionSelector,
  toFunctionSignature,
  zeroAddress,
} from 'viem';
import { expect } from 'vitest';
import { NO_CHARGE, SLIM, SLIM_CREATION, tokenIdOf } from './slim-gateway.ts';
import { type Ask, type Result, simulate } from './slim-reads.ts';
import { ACTORS, START } from './slim-stories.ts';

/** A call of each function of the slim contract that succeeds, and the malformed calls beside it. */

export const [AUTHORITY, KEEPER] = ACTORS as [Address, Address];
/** A gatekeeper network of no story. */
export const SLOT = 0x51_1300_0000_0000_0000_0000_0000_0001n;
const walletOf = (index: number): Address => numberToHex(0xaa00 + index, { size: 20 });
const ID = tokenIdOf(walletOf(1), SLOT);
const FAR = 4_000_000_000n;
const ROLE: Hex = `0x${'7'.repeat(64)}`;

/** Arguments by functions, in an order in which each call succeeds. */
const CALLS: readonly (readonly [signature: string, by: Address, ...args: readonly unknown[]])[] = [
  // The name has no padding, so each byte of the call counts.
  ['createNetwork', AUTHORITY, SLOT, 'A name that has thirty-two bytes', false, zeroAddress],
  ['addNetworkAuthority', AUTHORITY, KEEPER, SLOT],
  ['addGatekeeper', AUTHORITY, KEEPER, SLOT],
  ['setNetworkFeatures', AUTHORITY, SLOT, 1n],
  ['mint', KEEPER, walletOf(1), SLOT, 0n, 0n, NO_CHARGE],
  ['mintMany', KEEPER, [walletOf(2), walletOf(3)], SLOT, FAR],
  ['setExpiration', KEEPER, ID, FAR, NO_CHARGE],
  ['freeze', KEEPER, ID],
  ['unfreeze', KEEPER, ID],
  ['verifyToken(address,uint256)', KEEPER, walletOf(1), SLOT],
  ['verifyToken(uint256)', KEEPER, ID],
  ['getTokenIdsByOwnerAndNetwork', KEEPER, walletOf(1), SLOT, true],
  ['getToken', KEEPER, ID],
  ['ownerOf', KEEPER, ID],
  ['slotOf', KEEPER, ID],
  ['balanceOf', KEEPER, ID],
  ['getExpiration', KEEPER, ID],
  ['getIssuingGatekeeper', KEEPER, ID],
  ['getNetwork', KEEPER, SLOT],
  ['isGatekeeper', KEEPER, KEEPER, SLOT],
  ['isNetworkAuthority', KEEPER, KEEPER, SLOT],
  ['hasRole', KEEPER, ROLE, SLOT, KEEPER],
  ['getRoleAdmin', KEEPER, ROLE, SLOT],
  ['networkHasFeature', KEEPER, SLOT, 0],
  ['supportsInterface', KEEPER, '0x01ffc9a7'],
  ['DEFAULT_ADMIN_ROLE', KEEPER],
  ['DAO_MANAGER_ROLE', KEEPER],
  ['GATEKEEPER_ROLE', KEEPER],
  ['NETWORK_AUTHORITY_ROLE', KEEPER],
  ['revoke', KEEPER, ID],
  ['revokeMany', KEEPER, [2, 3].map((each) => tokenIdOf(walletOf(each), SLOT))],
  ['burn', KEEPER, ID],
  ['removeGatekeeper', AUTHORITY, KEEPER, SLOT],
  ['removeNetworkAuthority', AUTHORITY, KEEPER, SLOT],
];

/** A call and its answer if the contract refuses it as it should. */
export interface Malformed {
  readonly what: string;
  readonly data: Hex;
  readonly value?: Hex;
  readonly answer: Hex;
}
export interface ValidCall {
  readonly signature: string;
  readonly by: Address;
  readonly data: Hex;
  readonly malformed: readonly Malformed[];
}

/** The decoder of arguments gives no reason. */
const NO_REASON: Hex = '0x';

const functions = SLIM.abi.filter((each): each is AbiFunction => each.type === 'function');
export const SIGNATURES = functions.map((each) => toFunctionSignature(each)).toSorted();

/** Returns the valid calls in their order. Each has its malformed ones: all of a kind, or a handful of it. */
export const callsOf = (isWhole: boolean): readonly ValidCall[] =>
  CALLS.map(([name, by, ...args]) => {
    const item = functions.find((each) => toFunctionSignature(each).startsWith(name.includes('(') ? name : `${name}(`));
    if (item === undefined) throw new Error(`there is no function ${name}`);
    const data = encodeFunctionData({ abi: [item], args });
    return { signature: toFunctionSignature(item), by, data, malformed: malformedOf(item, data, isWhole) };
  });

function malformedOf(item: AbiFunction, data: Hex, isWhole: boolean): readonly Malformed[] {
  const refusal = refusalOf(toFunctionSelector(item));
  const bytes = (data.length - 2) / 2;
  const lengths = Array.from({ length: bytes - 4 }, (_, index) => 4 + index);
  return [
    { what: 'value', data, value: '0x1', answer: item.stateMutability === 'payable' ? refusal : NO_REASON },
    ...lengths
      .filter((length) => isWhole || [4, 5, 36, bytes - 32, bytes - 1].includes(length))
      .map((length) => ({ what: `${length} of ${bytes} bytes`, data: slice(data, 0, length), answer: NO_REASON })),
    ...wordsOf(item, data).flatMap(({ what, bits: [from, to], answerOf }, index) =>
      Array.from({ length: to - from }, (_, at) => from + at)
        .filter((bit) => isWhole || bit === from || bit === to - 1 || SOME_BITS.includes(bit))
        .map((bit) => {
          const word = BigInt(slice(data, 4 + 32 * index, 36 + 32 * index)) ^ (1n << BigInt(bit));
          return {
            what: `${what}, bit ${bit}`,
            data: withWord(data, index, word),
            answer: answerOf?.(word) ?? NO_REASON,
          };
        }),
    ),
  ];
}

/** Bits at the edges of the types. */
const SOME_BITS = [0, 1, 7, 8, 63, 64, 128, 159, 160, 224, 255];

const withWord = (data: Hex, index: number, word: bigint): Hex =>
  `${data.slice(0, 10 + 64 * index)}${numberToHex(word, { size: 32 }).slice(2)}${data.slice(74 + 64 * index)}` as Hex;

const refusalOf = (selector: Hex) =>
  encodeErrorResult({ abi: SLIM.abi, errorName: 'SlimGateway__NotSupported', args: [selector] });

/** A word of a call: the bits that are no part of a valid argument, and the answer if one of them is set (otherwise no reason). */
interface Word {
  readonly what: string;
  readonly bits: readonly [from: number, to: number];
  readonly answerOf?: (word: bigint) => Hex;
}

const NONE = [0, 0] as const;
/** Bits that make an offset or a length too large for every call. */
const LARGE = [64, 256] as const;
const ALL = [0, 256] as const;
const UNUSED_BITS: Readonly<Record<string, readonly [number, number]>> = {
  ...{ address: [160, 256], bool: [1, 256], bytes4: [0, 224], bytes32: NONE, uint256: NONE },
  ...{ string: LARGE, 'address[]': LARGE, 'uint256[]': LARGE },
};

function wordsOf(item: AbiFunction, data: Hex): readonly Word[] {
  const refuse = () => refusalOf(toFunctionSelector(item));
  const ofParameter = (parameter: AbiParameter): readonly Word[] => {
    const { name = '', type, internalType } = parameter;
    if ('components' in parameter)
      return parameter.components.map((each) => ({ what: `charge.${each.name}`, bits: ALL, answerOf: refuse }));
    // The enumeration has one member.
    if (internalType?.startsWith('enum')) return [{ what: 'feature', bits: ALL }];
    if (item.name === 'mint' && name === 'mask') return [{ what: name, bits: ALL, answerOf: refuse }];
    if (name === 'expiration' || name === 'timestamp') return [{ what: name, bits: LARGE, answerOf: tooLarge }];
    const bits = UNUSED_BITS[type];
    if (bits === undefined) throw new Error(`${type} is unknown`);
    return [{ what: name, bits }];
  };
  const head = item.inputs.flatMap(ofParameter);
  const list = item.inputs.find(({ type }) => type.endsWith('[]'));
  const [length, ...rest] = Array.from({ length: (data.length - 10) / 64 - head.length }, (): Word => {
    const bits = UNUSED_BITS[list?.type.slice(0, -2) ?? 'uint256'] ?? NONE;
    return { what: 'element', bits };
  });
  return [...head, ...(length ? [{ what: 'length', bits: LARGE }] : []), ...rest];
}

const tooLarge = (timestamp: bigint) =>
  encodeErrorResult({ abi: SLIM.abi, errorName: 'SlimGateway__ExpirationTooLarge', args: [timestamp] });

export interface RawCall {
  readonly by: Address;
  readonly data: Hex;
  readonly value?: Hex;
}

/** Runs the calls one after another on the slim contract. The node does not keep their effects. */
export const run = (ask: Ask, calls: readonly RawCall[]) =>
  simulate(
    ask,
    calls.map(({ by, data, value }) => ({
      time: START,
      call: { from: by, to: SLIM_CREATION.address, data, ...(value && { value }) },
    })),
  );

export const encode = (functionName: string, ...args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: SLIM.abi, functionName, args });

/**
 * Checks that each malformed call is refused where the valid one succeeds, and that the valid ones then do the same as without them.
 * Returns the number of malformed calls.
 */
export async function checkMalformed(ask: Ask, calls: readonly ValidCall[]): Promise<number> {
  const all = calls.flatMap((call) => [
    ...call.malformed.map((each) => ({ ...each, by: call.by, what: `${call.signature}, ${each.what}` })),
    { ...call, what: call.signature, answer: undefined },
  ]);
  const results = await run(ask, all);
  const found = all.map(({ what, answer }, index) => {
    const { status, returnData, logs } = results[index] as Result;
    return answer === undefined ? { what, status } : { what, status, returnData, logs };
  });
  expect(found).toEqual(
    all.map(({ what, answer }) =>
      answer === undefined ? { what, status: '0x1' } : { what, status: '0x0', returnData: answer, logs: [] },
    ),
  );
  const effects = (each: readonly Result[]) =>
    each.map(({ returnData, logs }) => ({ returnData, logs: logs.map(({ topics, data }) => ({ topics, data })) }));
  const valid = results.filter((_, index) => all[index]?.answer === undefined);
  expect(effects(valid)).toEqual(effects(await run(ask, calls)));
  return all.length - calls.length;
}

/** Lengths of names below, at and above words, in bytes. */
export const NAME_LENGTHS = [1, 31, 32, 33, 64, 100, 1_000] as const;

/** Checks that the contract returns names of those lengths exactly, although bytes that are not zero surround them in the call. */
export async function checkNames(ask: Ask, lengths: readonly number[]): Promise<void> {
  const names = lengths.map((length) =>
    Array.from({ length }, (_, at) => String.fromCharCode(65 + (at % 57))).join(''),
  );
  const creation = (name: string, index: number): Hex => {
    // The gap moves the name away from the words.
    const [gap, offset] = ['ff'.repeat(7), word(4n * 32n + 7n)];
    const text = `${word(BigInt(name.length))}${stringToHex(name).slice(2)}${'ff'.repeat(96)}`;
    return `${toFunctionSelector(CREATE)}${word(SLOT + BigInt(index))}${offset}${word(0n)}${word(0n)}${gap}${text}`;
  };
  const results = await run(ask, [
    ...names.map((name, index) => ({ by: AUTHORITY, data: creation(name, index) })),
    ...names.map((_, index) => ({ by: AUTHORITY, data: encode('getNetwork', SLOT + BigInt(index)) })),
  ]);
  expect(results.map(({ status }) => status)).toEqual(results.map(() => '0x1'));
  for (const [index, name] of names.entries()) {
    const { returnData } = results[names.length + index] as Result;
    // The only encoding in which all padding is zero.
    expect([name.length, returnData]).toEqual([name.length, encodeAbiParameters([{ type: 'string' }], [name])]);
    expect(AbiParameters.decode([{ type: 'string' }], returnData)).toEqual([name]);
  }
}

const CREATE = 'createNetwork(uint256,string,bool,address)';
const word = (value: bigint) => numberToHex(value, { size: 32 }).slice(2);
