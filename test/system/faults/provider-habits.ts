import type { RpcAnswer, RpcCall, RpcError } from '../json-rpc.ts';

/** Answers of real providers that differ from those of go-ethereum and of Agave. */

type Said = Pick<RpcAnswer, 'result' | 'error'>;
type Habit = (call: RpcCall, said: Said) => Said;

type Alter = (value: unknown, key: string) => unknown;

/** Alters all values in a result, from the outside to the inside. */
function alterAll(value: unknown, alter: Alter, key = ''): unknown {
  const altered = alter(value, key);
  if (Array.isArray(altered)) return altered.map((each) => alterAll(each, alter, key));
  if (typeof altered !== 'object' || altered === null) return altered;
  return Object.fromEntries(Object.entries(altered).map(([name, each]) => [name, alterAll(each, alter, name)]));
}

const inResults =
  (methods: RegExp, alter: Alter): Habit =>
  ({ method }, said) =>
    methods.test(method) && said.result ? { result: alterAll(said.result, alter) } : said;

const refusing =
  (refuses: (call: RpcCall) => boolean, error: RpcError): Habit =>
  (call, said) =>
    refuses(call) ? { error } : said;

const OBJECTS = /^eth_get(TransactionReceipt|TransactionByHash|BlockByNumber)$/;
const READS = /^(eth_call|getMultipleAccounts)$/;
const SIMULATIONS = /^(eth_estimateGas|simulateTransaction)$/;
const isAtTag = (tag: string) => (call: RpcCall) => call.params.includes(tag);
const trouble = (methods: RegExp, code: number, message: string) =>
  refusing(({ method }) => methods.test(method), { code, message });

const HABITS = {
  'addresses with the prefix xdc': inResults(OBJECTS, (value, key) =>
    typeof value === 'string' && /^0x[0-9a-f]{40}$/i.test(value) && key !== 'topics' ? `xdc${value.slice(2)}` : value,
  ),
  'hashes in upper case': inResults(OBJECTS, (value) =>
    typeof value === 'string' && /^0x[0-9a-f]{64}$/.test(value) ? `0x${value.slice(2).toUpperCase()}` : value,
  ),
  'a numeric status': inResults(OBJECTS, (value, key) => (key === 'status' ? Number(value) : value)),
  'numbers instead of text': inResults(/^eth_(get|block|gas|max)/, (value, key) =>
    typeof value === 'string' && value.length < 12 && !/^(logs|type|data)$/.test(key) ? Number(value) : value,
  ),
  'baseFeePerGas null': inResults(OBJECTS, (value, key) => (key === 'baseFeePerGas' ? null : value)),
  'eth_maxPriorityFeePerGas null': ({ method }, said) =>
    method === 'eth_maxPriorityFeePerGas' ? { result: null } : said,
  'no eth_maxPriorityFeePerGas': trouble(/^eth_maxPriorityFeePerGas$/, -32601, 'the method is not available'),
  'no pending block': refusing(isAtTag('pending'), { code: -32000, message: 'pending block is not available' }),
  'an internal error for a transaction that was taken': trouble(
    /^(eth_sendRawTransaction|sendTransaction)$/,
    -32603,
    'Internal error',
  ),
  'a used nonce for a transaction that was taken': trouble(
    /^eth_sendRawTransaction$/,
    -32603,
    'Transaction nonce too low',
  ),
} as const satisfies Record<string, Habit>;

/** Troubles with single calls. Another endpoint has to answer these calls. */
const TROUBLES = {
  'the time limit of a plan (30)': trouble(READS, 30, 'Request timeout on the free tier'),
  'too many requests (15)': trouble(READS, 15, 'Too many request, try again later'),
  'an answer that is too large (-32003)': trouble(READS, -32003, 'response too large'),
  'a batch limit (-32007)': trouble(SIMULATIONS, -32007, '50/second request limit reached'),
  'a missing resource (-32001)': trouble(SIMULATIONS, -32001, 'resource not found'),
  'an unavailable resource (-32002)': trouble(READS, -32002, 'resource unavailable'),
  'indexing in progress': trouble(
    /^(eth_getTransactionReceipt|getSignatureStatuses)$/,
    -32000,
    'indexing is in progress',
  ),
  'an internal error': trouble(SIMULATIONS, -32603, 'Internal error'),
} as const satisfies Record<string, Habit>;

export type HabitName = keyof typeof HABITS | keyof typeof TROUBLES | 'ids as text';
export const HABIT_NAMES = [...Object.keys(HABITS), 'ids as text'] as HabitName[];
export const TROUBLE_NAMES = Object.keys(TROUBLES) as HabitName[];

/** Returns the answers as a provider with this habit gives them. */
export function answerWithHabit(name: HabitName, calls: readonly RpcCall[], answers: readonly RpcAnswer[]): unknown[] {
  if (name === 'ids as text') return answers.map((answer) => ({ ...answer, id: String(answer.id) }));
  const habit: Habit = { ...HABITS, ...TROUBLES }[name];
  return answers.map(({ id, result, error }, index) => ({
    jsonrpc: '2.0',
    id,
    ...habit(calls[index] as RpcCall, error ? { error } : { result }),
  }));
}
