import { base58 } from '@scure/base';
import { type Lie, type LiedCall, type Said, say } from './lie.ts';

/** Each call of a Solana node, answered wrongly for good in each of several ways. Everything else that the endpoint says is true. */

/** The calls that a signer makes. */
export const SIGNER_CALLS = [
  'getGenesisHash',
  'getAccountInfo',
  'getLatestBlockhash',
  'getMultipleAccounts',
  'simulateTransaction',
  'sendTransaction',
  'getSignatureStatuses',
  'getTransaction',
  'getEpochInfo',
  'isBlockhashValid',
  'getRecentPrioritizationFees',
  'getMinimumBalanceForRentExemption',
] as const;

type Wrong = (truth: unknown, call: LiedCall) => Said | undefined;

const HUGE = 1e15;

/** Returns the value with each of its parts replaced. */
function replaceParts(value: unknown, replace: (part: string | number) => unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number') return replace(value);
  if (Array.isArray(value)) return value.map((each) => replaceParts(each, replace));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, replaceParts(each, replace)]));
}

const numbersAs = (number: number) => (truth: unknown) =>
  say(replaceParts(truth, (part) => (typeof part === 'number' ? number : part)));

/** Returns another text of the same kind if the text is an address, a block hash or a signature. */
function anotherHash(text: string | number): string | number {
  if (typeof text === 'number' || !/^[1-9A-HJ-NP-Za-km-z]{43,88}$/.test(text)) return text;
  const bytes = base58.decode(text);
  return bytes.length === 32 || bytes.length === 64 ? base58.encode(new Uint8Array(bytes.length).fill(9)) : text;
}

/** Whether the answer shows something that a later answer can lack. */
function showsSomething(truth: unknown): boolean {
  const { value = truth } = Object(truth);
  return Array.isArray(value) ? value.some((each) => each !== null) : value !== null;
}

/** Says null from the second time on that the call shows something. */
function nullAfterShown(): Wrong {
  const shown = new Set<string>();
  return (truth, { params }) => {
    const key = JSON.stringify(params);
    if (shown.has(key)) return say(null);
    if (showsSomething(truth)) shown.add(key);
    return undefined;
  };
}

/** The items of a list, or the value, that the call does not show. */
const valuesNull: Wrong = (truth) => {
  const { context, value } = Object(truth);
  if (context === undefined) return say(null);
  return say({ context, value: Array.isArray(value) ? value.map(() => null) : null });
};

const error = (code: number, message: string): Said => ({ error: { code, message } });

const WRONG: Readonly<Record<string, () => Wrong>> = {
  'null for good': () => () => say(null),
  'null values for good': () => valuesNull,
  'null after it was shown': nullAfterShown,
  'another hash': () => (truth) => say(replaceParts(truth, anotherHash)),
  'a text as its error': () => () => ({ error: 'not available' }) as never,
  'an error without a message': () => () => ({ error: { code: -32_000 } }) as never,
  'a missing method': () => () => error(-32_601, 'Method not found'),
  'refused parameters': () => () => error(-32_602, 'Unsupported method. See the list of available methods'),
  '0': () => () => say(0),
  'numbers of 0': () => numbersAs(0),
  'a huge number': () => () => say(HUGE),
  'huge numbers': () => numbersAs(HUGE),
};

const processedForGood: Wrong = (truth) =>
  say(replaceParts(truth, (part) => (part === 'confirmed' || part === 'finalized' ? 'processed' : part)));

function wrongAnswer(method: string, name: string, wrong: Wrong): Lie<unknown> {
  return {
    name: `${method}: ${name}`,
    answer: (call, truth) => (call.method === method && truth !== undefined ? wrong(truth, call) : undefined),
  };
}

/** Returns every call with every wrong answer. Each use needs new ones, because some of them have a memory. */
export const withheldCalls = (): Lie<unknown>[] => [
  ...SIGNER_CALLS.flatMap((method) => Object.entries(WRONG).map(([name, wrong]) => wrongAnswer(method, name, wrong()))),
  wrongAnswer('getSignatureStatuses', 'processed for good', processedForGood),
];
