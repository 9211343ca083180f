import { type Address, encodeErrorResult, type Hex, keccak256, parseAbi, toBytes, toFunctionSelector } from 'viem';
import { NO_CHARGE } from './slim-gateway.ts';
import {
  type Answers,
  type Ask,
  AUTHORITY,
  answersIn,
  dataOf,
  encode,
  GATEKEEPER,
  LIST,
  type Log,
  newIdOf,
  PLAIN_READS,
  type Result,
  readCall,
  readsOf,
  simulate,
  type Timed,
  word,
} from './slim-reads.ts';
import { PAIRS, type Pair, type Step, ZERO } from './slim-stories.ts';
import type { Token, Witness } from './slim-witness.ts';

/** The same story on the contract 0.8.0. */

const errorOf = (message: string) => encodeErrorResult({ abi: parseAbi(['error Error(string)']), args: [message] });
const ZERO_ROLE = '0'.repeat(64);
const MINT_TO_ZERO = errorOf('ERC3525: mint to the zero address');
const READ_OF_ZERO = errorOf('ERC3525: balance query for the zero address');
const TRANSFER_VALUE = keccak256(toBytes('TransferValue(uint256,uint256,uint256)'));
const EXPIRATION = keccak256(toBytes('Expiration(uint256,uint256)'));
const FEATURES = keccak256(toBytes('NetworkFeaturesChanged(uint256,uint256)'));

/** The differences between the contracts, each with the row of the README of the package that lists it. */
export const DIFFERENCES = {
  'a second mint': 'a second `mint` for a wallet and network',
  'an expiration above 2^64 - 1': 'an expiration above 2^64 − 1',
  'a charge, value, flags, a DAO or a lacking function': 'charge, value, flags',
  'an empty name': 'a network with an empty name',
  'mint to the zero address': '`mint` to the zero address',
  'a role in a network that does not exist': 'roles in a network that does not exist',
  TransferValue: '`mint`, `burn`',
  'Expiration of a mint': '`mint` with an expiry',
  NetworkFeaturesChanged: '`setNetworkFeatures`',
} as const;
export type Difference = keyof typeof DIFFERENCES;

interface Context {
  /** The tokens before the step. */
  readonly before: ReadonlyMap<bigint, Token>;
  readonly witness: Witness;
  readonly justified: Difference | undefined;
  readonly seen: Difference[];
  readonly fail: (why: string) => never;
}

/** The positions of token ids in the topics of events. */
const ID_TOPIC = new Map([
  ...[
    'Freeze(uint256)',
    'Unfreeze(uint256)',
    'Revoke(uint256)',
    'Expiration(uint256,uint256)',
    'SlotChanged(uint256,uint256,uint256)',
  ].map((each) => [keccak256(toBytes(each)), 1] as const),
  [keccak256(toBytes('Transfer(address,address,uint256)')), 3] as const,
]);
const ID_ERRORS = new Set(
  [
    'TokenDoesNotExist(uint256)',
    'TokenDoesNotExistOrIsInactive(uint256,bool)',
    'TokenInvalidStateForOperation(uint256,uint8,uint8)',
  ].map((each) => toFunctionSelector(`GatewayToken__${each}`)),
);
const IDS = toFunctionSelector(`${LIST}(address,uint256,bool)`);

/** The calls of a story on 0.8.0. It numbers its tokens, so their ids follow from the mints that succeed on the slim contract. */
export class OldPlan {
  readonly #calls: Timed[] = [];
  #results: readonly Result[] = [];
  readonly #ids = new Map<bigint, bigint>();
  readonly #newIds = new Map<bigint, bigint>();
  #next = 1n;
  readonly #to: Address;

  constructor(to: Address = ZERO) {
    this.#to = to;
    for (const [index, pair] of PAIRS.entries()) this.#newIds.set(1_000_000n + BigInt(index), newIdOf(pair));
  }

  async run(ask: Ask): Promise<void> {
    this.#results = await simulate(ask, this.#calls);
  }

  #idOf = (pair: Pair): bigint =>
    this.#ids.get(newIdOf(pair)) ??
    1_000_000n + BigInt(PAIRS.findIndex((each) => each.wallet === pair.wallet && each.slot === pair.slot));

  #call(time: number, step: Step, name: string, args: readonly unknown[]): number {
    const data = encode(name, args);
    return this.#calls.push({ time, call: { from: step.by, to: this.#to, data } }) - 1;
  }

  /** Adds the calls that do the same as a step on the slim contract. Returns the comparisons. */
  add(step: Step, time: number, result: Result, context: Context): (() => void)[] {
    const { justified, before, witness, fail } = context;
    if (justified === 'a second mint') {
      const position = this.#call(time, step, LIST, [step.args[0], step.args[1], false]);
      return [
        () => BigInt(`0x${this.#results[position]?.returnData.slice(66, 130)}`) > 0n || fail('there is no first token'),
      ];
    }
    if (justified) return [];
    const has = (pair: Pair) => before.has(newIdOf(pair));
    const positions: number[] = [];
    if (step.name === 'mintMany' || step.name === 'revokeMany') {
      const [wallets, slot, expiration] = step.args as [Address[], bigint, bigint];
      const slots = step.tokens?.filter(has).map((each) => each.slot) ?? [slot];
      if (result.status !== '0x1') {
        if (slots.every((each) => witness.has(GATEKEEPER, each, step.by))) fail('a gatekeeper is refused');
        return [];
      }
      for (const token of step.tokens?.filter(has) ?? [])
        positions.push(this.#call(time, step, 'revoke', [this.#idOf(token)]));
      for (const wallet of new Set(step.tokens ? [] : wallets))
        if (!has({ wallet, slot }))
          positions.push(this.#call(time, step, 'mint', [wallet, slot, expiration, 0n, NO_CHARGE]));
    } else
      positions.push(
        this.#calls.push({ time, call: { from: step.by, to: this.#to, data: dataOf(step, this.#idOf) } }) - 1,
      );
    this.#follow(result.logs);
    const isNetwork = witness.networks.has(step.args[1] as bigint);
    return [
      () =>
        this.#compare(
          step,
          result,
          positions.map((each) => this.#results[each] as Result),
          isNetwork,
          context,
        ),
    ];
  }

  /** Notes the ids of issued and burned tokens. */
  #follow(logs: readonly Log[]): void {
    for (const { topics } of logs) {
      const [event, from, , id] = topics;
      if (ID_TOPIC.get(event) !== 3 || id === undefined) continue;
      if (BigInt(from as Hex) === 0n) {
        this.#ids.set(BigInt(id), this.#next);
        this.#newIds.set(this.#next++, BigInt(id));
      } else this.#ids.delete(BigInt(id));
    }
  }

  #newWord = (hex: string): string => {
    const id = BigInt(`0x${hex.replace(/^0x/, '')}`);
    return word(this.#newIds.get(id) ?? id);
  };

  #compare(step: Step, result: Result, olds: readonly Result[], isNetwork: boolean, { seen, fail }: Context): void {
    const reverted = olds.find(({ status }) => status !== '0x1');
    if (step.name === 'mint' && result.returnData === READ_OF_ZERO && reverted?.returnData === MINT_TO_ZERO) {
      seen.push('mint to the zero address');
      return;
    }
    const oldError = reverted && this.#mapError(reverted.returnData);
    const isUnknown = (step.name.startsWith('add') || step.name.startsWith('remove')) && !isNetwork;
    if (isUnknown && oldError === result.returnData.replace(AUTHORITY.slice(2), ZERO_ROLE)) {
      seen.push('a role in a network that does not exist');
      return;
    }
    const error = result.status === '0x1' ? undefined : result.returnData;
    if (error !== oldError) fail(`it ends with ${error}, and in 0.8.0 with ${oldError}`);
    const logs = result.logs.filter(({ topics: [event] }) => {
      const difference =
        event === FEATURES
          ? 'NetworkFeaturesChanged'
          : event === EXPIRATION && step.name.startsWith('mint') && 'Expiration of a mint';
      if (difference) seen.push(difference);
      return !difference;
    });
    const oldLogs = olds
      .flatMap((each) => each.logs)
      .filter(({ topics: [event] }) => {
        if (event === TRANSFER_VALUE) seen.push('TransferValue');
        return event !== TRANSFER_VALUE;
      });
    const textOf = (all: readonly Log[], mapId: (id: string) => string) =>
      all
        .map(({ topics, data }) =>
          [...topics.map((each, at) => (at === ID_TOPIC.get(topics[0]) ? `0x${mapId(each)}` : each)), data].join(),
        )
        .join('\n');
    const [found, expected] = [textOf(logs, (id) => id.slice(2)), textOf(oldLogs, this.#newWord)];
    if (found !== expected) fail(`it emits\n${found}\nand 0.8.0\n${expected}`);
  }

  #mapError = (data: Hex): Hex =>
    ID_ERRORS.has(data.slice(0, 10) as Hex)
      ? `0x${data.slice(2, 10)}${this.#newWord(data.slice(10, 74))}${data.slice(74)}`
      : data;

  /** Adds the reads of all facts. Returns the comparison. */
  addReads(time: number, answers: Answers, fail: (why: string) => never): () => void {
    const reads = [...PLAIN_READS, ...PAIRS.flatMap((pair) => readsOf(this.#idOf(pair)))];
    const position = this.#calls.push(readCall(time, this.#to, reads)) - 1;
    return () => {
      const olds = answersIn(this.#results[position] as Result);
      for (const [index, old] of olds.entries()) {
        const answer = answers[index];
        const isIds = reads[index]?.startsWith(IDS) && old.success && old.data.length > 130;
        const data = isIds
          ? `${old.data.slice(0, 130)}${this.#newWord(old.data.slice(130))}`
          : this.#mapError(old.data);
        if (answer?.success !== old.success || answer.data !== data)
          fail(`${reads[index]} answers ${answer?.data}, and in 0.8.0 ${data}`);
      }
    };
  }
}
