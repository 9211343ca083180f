import type { Lie, LiedCall, Said } from './lie.ts';

/** Every call of a chain's node with every way in which one method of a real node fails. */

type Fault = (truth: unknown, call: LiedCall, times: number) => Said | undefined;

const HASH = `0x${'ab'.repeat(32)}`;
const error = (given: unknown) => ({ error: given }) as Said;

/** Returns the result with another hash of the block or the transaction; undefined if it has none. */
function withOtherHash(truth: unknown): Said | undefined {
  const hashes = ['blockHash', 'hash'].filter((name) => name in Object(truth));
  return hashes.length === 0
    ? undefined
    : { result: { ...Object(truth), ...Object.fromEntries(hashes.map((name) => [name, HASH])) } };
}

/** @param times How often the node has shown a result for the call before. */
const FAULTS: Readonly<Record<string, Fault>> = {
  'null for good': () => ({ result: null }),
  'null after it was shown': (_, __, times) => (times > 0 ? { result: null } : undefined),
  'another hash': (truth) => withOtherHash(truth),
  'a text as error': () => error('the service is busy'),
  'an error without a message': () => error({ code: -32_000 }),
  'no such method': () => error({ code: -32_601, message: 'the method does not exist' }),
  'wrong parameters': () => error({ code: -32_602, message: 'invalid params' }),
  '0': () => ({ result: '0x0' }),
  'a huge number': () => ({ result: `0x${'f'.repeat(64)}` }),
};

/** The calls of the adapter for Ethereum-type networks, apart from those of the watcher. */
export const ETHEREUM_CALLS: Readonly<Record<string, (call: LiedCall) => boolean>> = {
  eth_chainId: isCall('eth_chainId'),
  eth_blockNumber: isCall('eth_blockNumber'),
  eth_gasPrice: isCall('eth_gasPrice'),
  eth_maxPriorityFeePerGas: isCall('eth_maxPriorityFeePerGas'),
  'eth_getBlockByNumber of the newest block': isCall('eth_getBlockByNumber', ([at]) => at === 'latest'),
  'eth_getBlockByNumber of the final block': isCall('eth_getBlockByNumber', ([at]) => at === 'finalized'),
  'eth_getBlockByNumber by number': isCall('eth_getBlockByNumber', ([at]) => /^0x/.test(String(at))),
  'eth_getTransactionCount of the newest block': isCall('eth_getTransactionCount', ([, at]) => at === 'latest'),
  'eth_getTransactionCount of pending ones': isCall('eth_getTransactionCount', ([, at]) => at === 'pending'),
  'eth_getTransactionCount by number': isCall('eth_getTransactionCount', ([, at]) => /^0x/.test(String(at))),
  eth_getBalance: isCall('eth_getBalance'),
  eth_getCode: isCall('eth_getCode'),
  eth_getStorageAt: isCall('eth_getStorageAt'),
  'eth_call that reads': isCall('eth_call', ([request]) => !('from' in Object(request))),
  'eth_call that simulates': isCall('eth_call', ([request]) => 'from' in Object(request)),
  eth_estimateGas: isCall('eth_estimateGas'),
  eth_sendRawTransaction: isCall('eth_sendRawTransaction'),
  eth_getTransactionReceipt: isCall('eth_getTransactionReceipt'),
};

function isCall(method: string, isMeant: (params: readonly unknown[]) => boolean = () => true) {
  return (call: LiedCall) => call.method === method && isMeant(call.params);
}

/** Returns a fault for each call and each way to fail. The name of a fault begins with the method. */
export function nodeFaults(calls: Readonly<Record<string, (call: LiedCall) => boolean>>): Lie<object>[] {
  return Object.entries(calls).flatMap(([of, isMeant]) =>
    Object.entries(FAULTS).map(([kind, fault]): Lie<object> => {
      const shown = new WeakMap<object, Map<string, number>>();
      return {
        name: `${of}: ${kind}`,
        answer(call, truth, scene) {
          if (!isMeant(call)) return undefined;
          const times = shown.get(scene) ?? new Map<string, number>();
          shown.set(scene, times);
          const key = JSON.stringify(call.params);
          const before = times.get(key) ?? 0;
          if (truth !== undefined && truth !== null) times.set(key, before + 1);
          return fault(truth, call, before);
        },
      };
    }),
  );
}
