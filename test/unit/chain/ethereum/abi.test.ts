import fc from 'fast-check';
import {
  decodeErrorResult,
  decodeEventLog,
  decodeFunctionData,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  toEventSelector,
  toFunctionSelector,
} from 'viem/utils';
import { describe, expect, it } from 'vitest';
import {
  decodeCall,
  decodeError,
  decodeLog,
  decodeResults,
  decodeValues,
  encodeCall,
  encodeValues,
  GATEWAY_ABI,
  type Parameter,
  topicOf,
} from '../../../../src/chain/ethereum/abi.ts';
import type { Hex } from '../../../../src/lib/bytes.ts';

/** viem encodes and decodes the same values independently. Ours reads nothing that viem refuses, and nothing else than viem. */

const FUNCTIONS = GATEWAY_ABI.filter((item) => item.type === 'function');
const VIEWS = FUNCTIONS.filter((item) => item.stateMutability === 'view');
const EVENTS = GATEWAY_ABI.filter((item) => item.type === 'event');
const ERRORS = GATEWAY_ABI.filter((item) => item.type === 'error');
const SOLIDITY_ERRORS = [
  { type: 'error', name: 'Error', inputs: [{ name: 'message', type: 'string' }] },
  { type: 'error', name: 'Panic', inputs: [{ name: 'reason', type: 'uint256' }] },
] as const;

type Inputs = readonly Parameter[];
const RUNS = { numRuns: 200 };

const hexOf = (length: object) =>
  fc.uint8Array(length).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as Hex);
const bytesOf = (length: number) => hexOf({ minLength: length, maxLength: length });
const uint256 = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), fc.bigInt({ min: 0n, max: 300n }));
const ARBITRARIES = {
  address: bytesOf(20),
  bool: fc.boolean(),
  bytes32: bytesOf(32),
  uint8: fc.nat(255),
  uint256,
  string: fc.string({ unit: 'binary', maxLength: 100 }),
  'uint256[]': fc.array(uint256, { maxLength: 5 }),
} as const;

const arbitraryOf = (parameter: Parameter): fc.Arbitrary<unknown> =>
  parameter.type === 'tuple'
    ? fc.record(Object.fromEntries(parameter.components.map((each) => [each.name, arbitraryOf(each)])))
    : ARBITRARIES[parameter.type];
const arbitrariesOf = (parameters: Inputs) => fc.tuple(...parameters.map(arbitraryOf));

/** Returns the items with random values for their parameters. */
const withValues = <T>(items: readonly T[], parametersOf: (item: T) => Inputs) =>
  fc
    .constantFrom(...items)
    .chain((item) =>
      arbitrariesOf(parametersOf(item)).map((values) => ({ item, parameters: parametersOf(item), values })),
    );

/** viem's types want the literal types of each item. */
const encodeWithViem = (parameters: Inputs, values: readonly unknown[]) =>
  encodeAbiParameters(parameters as never, values as never) as Hex;

const WORD = 64;
const wordsOf = (parameters: Inputs) =>
  parameters.flatMap((each): Inputs => (each.type === 'tuple' ? each.components : [each]));

/** Words with which malformed answers begin: small places, lengths out of range, and unused bits that are set. */
const word = fc.oneof(
  fc.constantFrom(
    0n,
    1n,
    2n,
    255n,
    256n,
    2n ** 32n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 160n,
    2n ** 255n,
    2n ** 256n - 1n,
  ),
  fc.nat(40).map((at) => BigInt(at) * 8n),
  uint256,
);
const digits = (value: bigint) => value.toString(16).padStart(WORD, '0');

/** Returns data that is damaged in one or two of these ways: a word is another one, the end is missing, or more follows. */
const damaged = (data: Hex): fc.Arbitrary<Hex> => {
  const another = (text: Hex) =>
    fc.tuple(fc.nat(Math.max(0, Math.ceil((text.length - 2) / WORD) - 1)), word).map(([index, value]): Hex => {
      const at = 2 + index * WORD;
      return `${text.slice(0, at)}${digits(value)}${text.slice(at + WORD)}` as Hex;
    });
  const cut = (text: Hex) => fc.nat(text.length - 2).map((length) => text.slice(0, 2 + length) as Hex);
  const more = (text: Hex) => hexOf({ minLength: 1, maxLength: 40 }).map((end): Hex => `${text}${end.slice(2)}`);
  const once = (text: Hex) => fc.oneof(another(text), cut(text), more(text));
  return fc.oneof(once(data), once(data).chain(once));
};

const REFUSED = 'refused';
function outcomeOf(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    return REFUSED;
  }
}

/**
 * Whether ours refuses data that viem may read: half a byte; a head that is cut off, of which viem reads a word twice; and a text
 * or a list in the head, where no compiler puts it.
 */
function isStricter(parameters: Inputs, data: Hex): boolean {
  const head = wordsOf(parameters);
  if (data.length % 2 !== 0 || data.length - 2 < head.length * WORD) return true;
  return head.some(({ type }, at) => {
    const isPlace = type === 'string' || type === 'uint256[]';
    return isPlace && BigInt(`0x${data.slice(2 + at * WORD, 2 + (at + 1) * WORD)}`) < BigInt(head.length * 32);
  });
}

/** Compares both readers, and returns whether they refused the data. */
function compare(parameters: Inputs, data: Hex, ours: unknown, viems: unknown): boolean {
  if (ours === REFUSED && viems !== REFUSED) expect([data, isStricter(parameters, data)]).toEqual([data, true]);
  else expect(ours).toEqual(viems);
  return ours === REFUSED;
}

describe('calls', () => {
  it('encodes random calls of each function as viem does, and reads them back', () => {
    const calls = withValues(FUNCTIONS, ({ inputs }) => inputs);
    fc.assert(
      fc.property(calls, ({ item: { name }, values }) => {
        const data = encodeCall(name, values as never);
        expect(data).toBe(encodeFunctionData({ abi: GATEWAY_ABI, functionName: name, args: values as never }));
        expect(decodeCall(data)).toEqual(decodeFunctionData({ abi: GATEWAY_ABI, data }));
      }),
      RUNS,
    );
  });

  it('reads damaged calls as viem does, or refuses them', () => {
    const calls = withValues(FUNCTIONS, ({ inputs }) => inputs).chain(({ item, parameters, values }) =>
      damaged(encodeWithViem(parameters, values)).map((args) => ({ item, args })),
    );
    let refused = 0;
    fc.assert(
      fc.property(calls, ({ item, args }) => {
        const data: Hex = `${toFunctionSelector(item)}${args.slice(2)}`;
        const viems = outcomeOf(() => decodeFunctionData({ abi: GATEWAY_ABI, data }));
        refused += Number(
          compare(
            item.inputs,
            args,
            outcomeOf(() => decodeCall(data)),
            viems,
          ),
        );
      }),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(20);
  });

  it('knows no other function', () => {
    expect(decodeCall('0x')).toBeUndefined();
    expect(decodeCall(`0x12345678${'0'.repeat(WORD)}`)).toBeUndefined();
  });
});

describe('answers', () => {
  const answers = withValues(VIEWS, ({ outputs }) => outputs);
  const viemsResults = (name: (typeof VIEWS)[number]['name'], data: Hex): unknown => {
    const result: unknown = decodeFunctionResult({ abi: GATEWAY_ABI, functionName: name, data });
    return name === 'getToken' ? result : [result];
  };

  it('reads random answers to each function as viem does', () => {
    fc.assert(
      fc.property(answers, ({ item: { name }, parameters, values }) => {
        const data = encodeWithViem(parameters, values);
        expect(decodeResults(name, data)).toEqual(viemsResults(name, data));
        expect(decodeResults(name, data)).toHaveLength(values.length);
      }),
      RUNS,
    );
  });

  it('reads damaged answers as viem does, or refuses them', () => {
    const broken = answers.chain(({ item, parameters, values }) =>
      damaged(encodeWithViem(parameters, values)).map((data) => ({ item, parameters, data })),
    );
    let refused = 0;
    fc.assert(
      fc.property(broken, ({ item: { name }, parameters, data }) => {
        const viems = outcomeOf(() => viemsResults(name, data));
        refused += Number(
          compare(
            parameters,
            data,
            outcomeOf(() => decodeResults(name, data)),
            viems,
          ),
        );
      }),
      { numRuns: 2_000 },
    );
    expect(refused).toBeGreaterThan(200);
  });

  const LIST = 'getTokenIdsByOwnerAndNetwork';
  const data = (...words: readonly bigint[]): Hex => `0x${words.map(digits).join('')}`;
  it.each([
    ['no data', LIST, '0x'],
    ['half a byte', LIST, `${data(32n, 0n)}0`],
    ['other characters', LIST, `0x${'g'.repeat(2 * WORD)}`],
    ['a list without its length', LIST, data(32n)],
    ['a list in the head, which viem refuses only if nothing follows', LIST, data(0n, 0n)],
    ['a list after the end', LIST, data(64n, 0n)],
    ['a list at 2^53', LIST, data(2n ** 53n, 0n)],
    ['a list at a place that no number can express', LIST, data(2n ** 256n - 1n, 0n)],
    ['a list that is longer than the data', LIST, data(32n, 2n, 7n)],
    ['a list of 2^53 - 1 items', LIST, data(32n, 2n ** 53n - 1n, 7n)],
    ['a list of 2^256 - 1 items', LIST, data(32n, 2n ** 256n - 1n, 7n)],
    ['a number that is cut off', 'slotOf', data(7n).slice(0, -2)],
    ['a flag that is 2', 'isSuperAdmin', data(2n)],
    ['a flag with a bit that no flag has', 'isSuperAdmin', data(2n ** 255n + 1n)],
    ['a token without its last words, which viem reads from other words', 'getToken', data(7n, 0n, 0n)],
    ['a text that is longer than the data', 'getToken', data(7n, 0n, 160n, 0n, 0n, 1n)],
    ['a state above 2^53', 'getToken', data(7n, 2n ** 53n, 160n, 0n, 0n, 0n)],
  ] as const)('refuses %s', (_, name, answer) => {
    expect(() => decodeResults(name, answer as Hex)).toThrow();
  });

  it('ignores the unused bits of an address, and data after the values', () => {
    const [owner] = decodeResults('getToken', data(2n ** 255n + 7n, 0n, 160n, 0n, 0n, 0n, 1n));
    expect(owner).toBe(`0x${'0'.repeat(39)}7`);
  });
});

describe('logs', () => {
  const isIndexed = (input: Parameter) => 'indexed' in input && input.indexed === true;
  const logs = withValues(EVENTS, ({ inputs }) => inputs).map(({ item, parameters, values }) => {
    const encoded = (isWanted: (input: Parameter) => boolean) =>
      parameters.flatMap((input, at) => (isWanted(input) ? [[input, values[at]] as const] : []));
    const inData = encoded((input) => !isIndexed(input));
    const data = encodeWithViem(
      inData.map(([input]) => input),
      inData.map(([, value]) => value),
    );
    return { item, topics: encoded(isIndexed).map(([input, value]) => encodeWithViem([input], [value])), data };
  });
  const viemsLog = (topics: readonly Hex[], data: Hex) =>
    decodeEventLog({ abi: GATEWAY_ABI, topics: topics as [Hex, ...Hex[]], data });

  it('reads random logs of each event as viem does', () => {
    fc.assert(
      fc.property(logs, ({ item, topics, data }) => {
        const hash = toEventSelector(item);
        expect(topicOf(item.name)).toBe(hash);
        expect(decodeLog([hash, ...topics], data)).toEqual(viemsLog([hash, ...topics], data));
      }),
      RUNS,
    );
  });

  it('reads damaged logs as viem does, or refuses them', () => {
    const broken = logs.chain(({ item, topics, data }) =>
      fc.oneof(
        damaged(data).map((other) => ({ item, topics, data: other })),
        fc
          .tuple(fc.nat(Math.max(0, topics.length - 1)), damaged(topics[0] ?? '0x'))
          .map(([at, topic]) => ({ item, topics: topics.with(at, topic), data })),
        fc.nat(topics.length).map((length) => ({ item, topics: topics.slice(0, length), data })),
      ),
    );
    let refused = 0;
    fc.assert(
      fc.property(broken, ({ item, topics, data }) => {
        const all = [toEventSelector(item), ...topics];
        const ours = outcomeOf(() => decodeLog(all, data));
        const viems = outcomeOf(() => viemsLog(all, data));
        refused += Number(ours === REFUSED);
        // Half a byte is the only damage of single words that viem repairs.
        if (ours === REFUSED && viems !== REFUSED)
          expect([...topics, data].some((text) => text.length % 2 !== 0)).toBe(true);
        else expect(ours).toEqual(viems);
      }),
      { numRuns: 1_000 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('ignores the logs of other events', () => {
    expect(decodeLog([], '0x')).toBeUndefined();
    expect(decodeLog([`0x${'1'.repeat(WORD)}`], '0x')).toBeUndefined();
  });
});

describe('errors', () => {
  const errors = withValues([...ERRORS, ...SOLIDITY_ERRORS], ({ inputs }) => inputs);
  const viemsError = (data: Hex) => {
    const { errorName, args } = decodeErrorResult({ abi: GATEWAY_ABI, data });
    return { name: errorName, args };
  };

  it("reads random errors of the contract and Solidity's own as viem does, also damaged ones", () => {
    const all = errors.chain(({ item, parameters, values }) => {
      const args = encodeWithViem(parameters, values);
      return fc.oneof(fc.constant(args), damaged(args)).map((each) => ({ item, args: each }));
    });
    let [read, refused] = [0, 0];
    fc.assert(
      fc.property(all, ({ item, args }) => {
        const data: Hex = `${toFunctionSelector({ ...item, type: 'function', outputs: [], stateMutability: 'view' })}${args.slice(2)}`;
        const isRefused = compare(
          item.inputs,
          args,
          outcomeOf(() => decodeError(data)),
          outcomeOf(() => viemsError(data)),
        );
        refused += Number(isRefused);
        read += Number(!isRefused);
      }),
      { numRuns: 1_000 },
    );
    expect(Math.min(read, refused)).toBeGreaterThan(50);
  });

  it.each(['0x', '0x08c3', '0x12345678'] as const)('knows no error in %s', (data) => {
    expect(decodeError(data)).toBeUndefined();
  });
});

describe('encodeValues', () => {
  const checksummed = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
  const encodeOne = (type: string, value: unknown) => encodeValues([{ name: 'it', type } as Parameter], [value]);
  const viemsOne = (type: string, value: unknown) => encodeWithViem([{ name: 'it', type } as Parameter], [value]);

  it.each([
    ['address', checksummed],
    ['address', checksummed.toLowerCase()],
    ['uint8', 255],
    ['uint256', 2n ** 256n - 1n],
    ['bool', false],
  ])('encodes %s %s as viem does', (type, value) => {
    expect(`0x${encodeOne(type, value)}`).toBe(viemsOne(type, value));
  });

  it.each([
    ['an address with a wrong checksum', 'address', checksummed.replace('A', 'a')],
    ['an address in upper case', 'address', `0x${checksummed.slice(2).toUpperCase()}`],
    ['an address that is too short', 'address', '0x00'],
    ['no address', 'address', undefined],
    ['a number above its type', 'uint8', 256],
    ['a number above 256 bits', 'uint256', 2n ** 256n],
    ['a negative number', 'uint256', -1n],
    ['half a number', 'uint8', 0.5],
    ['a flag that is a number', 'bool', 1],
  ])('refuses %s, as viem does', (_, type, value) => {
    expect(() => encodeOne(type, value)).toThrow();
    expect(() => viemsOne(type, value)).toThrow();
  });

  it('refuses another number of values than the call has', () => {
    expect(() => encodeValues([{ name: 'it', type: 'bool' }], [])).toThrow();
    expect(() => encodeValues([], [true])).toThrow();
  });
});

it('reads each type of value again that viem encodes, in structs too', () => {
  const struct: Parameter = {
    name: 'struct',
    type: 'tuple',
    components: (['address', 'bool', 'bytes32', 'uint8', 'uint256'] as const).map((type) => ({
      name: `a ${type}`,
      type,
    })),
  };
  const parameters = [...(['string', 'uint256[]', 'bytes32'] as const).map((type) => ({ name: type, type })), struct];
  fc.assert(
    fc.property(arbitrariesOf(parameters), (values) => {
      const [text, list, bytes, fields] = decodeValues(parameters, encodeWithViem(parameters, values));
      const { 'a address': address, ...others } = fields as Readonly<Record<string, string>>;
      const { 'a address': given, ...rest } = values[3] as Readonly<Record<string, string>>;
      expect([text, list, bytes, address?.toLowerCase(), others]).toEqual([...values.slice(0, 3), given, rest]);
    }),
    RUNS,
  );
});
