import { ETHEREUM_LIES, type EthereumScene } from '../../lies/ethereum-lies.ts';
import { answerWithLies, type Lie, type Said, say } from '../../lies/lie.ts';
import { ETHEREUM_CALLS, nodeFaults } from '../../lies/node-faults.ts';
import type { Log } from './gateway-contract.ts';
import type { Alter } from './node.ts';
import { hashOf, selectorIn, selectorOf, wordsOf } from './words.ts';

/** The named faults of an endpoint, for `EthereumNode.alter`. Each use needs a new one, because some of them have a memory. */

type Fault = (random: () => number) => Alter;

/** Returns an alteration of the results of one method. */
const about =
  (method: string, change: (result: never, params: readonly unknown[]) => Said | undefined): Alter =>
  (call, said) =>
    (call.method === method && 'result' in said ? change(said.result as never, call.params) : undefined) ?? said;

/** Returns an alteration of the results of one function of the contract. */
function aboutFunction(signature: string, result: string): Fault {
  const selector = selectorOf(signature);
  const isAsked = (request: unknown) => selectorIn(Object(request).data ?? '0x') === selector;
  return () => about('eth_call', (_, [request]) => (isAsked(request) ? say(`0x${result}`) : undefined));
}

const error = (code: number, message: string): Said => ({ error: { code, message } });

const logsShown = (change: (logs: readonly Log[]) => readonly Log[]): Alter =>
  about('eth_getLogs', (logs: Log[]) => say(change(logs)));

/** A log that says of the token of another log that somebody revoked it. */
const invented = (log: Log | undefined): readonly Log[] =>
  log ? [{ ...log, topics: [REVOKE, `0x${wordsOf(BigInt(log.topics[1] ?? 1))}`], data: '0x' }] : [];
const REVOKE = hashOf('Revoke(uint256)');

const OWN: Readonly<Record<string, Fault>> = {
  'logs: none': () => logsShown(() => []),
  'logs: half of them': (random) => logsShown((logs) => logs.filter(() => random() < 0.5)),
  'logs: an invented one': () => logsShown((logs) => [...logs, ...invented(logs[0])]),
  'logs: in another order': () => logsShown((logs) => logs.toReversed()),
  'logs: of another form': () => logsShown((logs) => logs.map((log) => ({ ...log, topics: log.topics.slice(0, 1) }))),
  'logs: of one block at most': () => (call, said) => {
    const [filter] = call.params as readonly { readonly fromBlock?: string; readonly toBlock?: string }[];
    const isWide = call.method === 'eth_getLogs' && filter?.fromBlock !== filter?.toBlock;
    return isWide ? error(-32_005, 'query exceeds max block range 1') : said;
  },
  'logs: refused': () => (call, said) =>
    call.method === 'eth_getLogs' ? error(-32_000, 'the logs of this contract cannot be served') : said,
  'roles: lost': aboutFunction('isGatekeeper(address,uint256)', wordsOf(false)),
  'roles: kept': aboutFunction('isGatekeeper(address,uint256)', wordsOf(true)),
  'roles: removal voids tokens': aboutFunction('networkHasFeature(uint256,uint8)', wordsOf(true)),
  'roles: removal keeps tokens': aboutFunction('networkHasFeature(uint256,uint8)', wordsOf(false)),
  'code: another': () => about('eth_getCode', () => say('0xfe')),
  'blocks: they stand still': () => {
    const first = new Map<string, Said>();
    return (call, said) => {
      const key = JSON.stringify(call);
      if (!first.has(key)) first.set(key, said);
      return call.method === 'eth_sendRawTransaction' ? said : (first.get(key) ?? said);
    };
  },
  'chain: another': () => about('eth_chainId', () => say('0x539')),
  'calls: unknown errors now and then': (random) => (_, said) =>
    random() < 0.2 ? error(-32_099, 'something is wrong') : said,
  'calls: a limit now and then': (random) => (_, said) => (random() < 0.2 ? error(429, 'Too many requests') : said),
};

/** A node whose index of transactions until that block is lost: it knows none of them, and has their logs. */
export const lostIndex =
  (until: number): Alter =>
  (call, said) => {
    if (call.method !== 'eth_getTransactionReceipt' && call.method !== 'eth_getTransactionByHash') return said;
    const { blockNumber } = Object('result' in said ? said.result : null) as { readonly blockNumber?: string | null };
    return blockNumber && Number(blockNumber) <= until ? say(null) : said;
  };

/** Another lie needs a pass or other questions, or it swallows transactions, as `EthereumNode.swallows` does. */
const isAlteration = ({ ask, needsPass, swallowsSends }: Lie<EthereumScene>) =>
  ask === undefined && !needsPass && !swallowsSends;

/** Returns a fault with a memory of its own. No lie without a pass reads the scene. */
const alterationBy =
  (lie: Lie<never>): Fault =>
  () => {
    const scene = {} as never;
    return (call, said) => answerWithLies([lie], { id: 0, ...call }, said, scene);
  };

/** Only blocks and receipts have a hash. */
const hasEffect = ({ name }: Lie<object>) => !name.endsWith(': another hash') || /Block|Receipt/.test(name);

const LIES = [...ETHEREUM_LIES.filter(isAlteration), ...nodeFaults(ETHEREUM_CALLS).filter(hasEffect)];

export const FAULTS: Readonly<Record<string, Fault>> = {
  ...OWN,
  ...Object.fromEntries(LIES.map((lie) => [lie.name, alterationBy(lie as Lie<never>)])),
};
