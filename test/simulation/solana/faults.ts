import { base58 } from '@scure/base';
import { GATEWAY_PROGRAM } from '../../../tools/localnet/solana/runtime/gateway-addresses.ts';
import { answerWithLies, type Lie, type Said, say } from '../../lies/lie.ts';
import { SOLANA_LIES, type SolanaScene } from '../../lies/solana-lies.ts';
import { withheldCalls } from '../../lies/solana-withheld.ts';
import type { Alter } from './node.ts';

/** The named faults of an endpoint, for `SolanaNode.alter`. Each use needs a new one, because some of them have a memory. */

type Fault = (random: () => number) => Alter;

/** Returns an alteration of the results of one method. */
const about =
  (method: string, change: (result: never) => Said | undefined): Alter =>
  (call, said) =>
    (call.method === method && 'result' in said ? change(said.result as never) : undefined) ?? said;

const error = (code: number, message: string): Said => ({ error: { code, message } });

interface ShownTransaction {
  readonly transaction: {
    readonly message: {
      readonly accountKeys: readonly string[];
      readonly instructions: readonly { readonly programIdIndex: number }[];
    };
  };
}

/** An instruction of a newer program with the tag 9 in place of each of the program's own. */
function withUnknownInstruction(shown: ShownTransaction): ShownTransaction {
  const { message } = shown.transaction;
  const instructions = message.instructions.map((each) =>
    message.accountKeys[each.programIdIndex] === GATEWAY_PROGRAM
      ? { ...each, data: base58.encode(Uint8Array.of(9)) }
      : each,
  );
  return { ...shown, transaction: { ...shown.transaction, message: { ...message, instructions } } };
}

const transactionsShown = (change: (shown: ShownTransaction) => Said) =>
  about('getTransaction', (shown: ShownTransaction | null) => (shown === null ? undefined : change(shown)));

interface Listed {
  readonly slot: number;
  readonly signature: string;
}

const inventedIn = (random: () => number, [newest]: readonly Listed[]) =>
  newest && {
    ...newest,
    signature: base58.encode(Uint8Array.from({ length: 64 }, () => 1 + Math.floor(255 * random()))),
  };

const OWN: Readonly<Record<string, Fault>> = {
  'transactions: version 2 claimed': () =>
    transactionsShown(() => error(-32_015, 'Transaction version (2) is not supported by the requesting client')),
  'transactions: none': () => transactionsShown(() => say(null)),
  'transactions: an unknown instruction': () => transactionsShown((shown) => say(withUnknownInstruction(shown))),
  'transactions: without a result': () => transactionsShown((shown) => say({ ...shown, meta: null })),
  'transactions: of another form': () => transactionsShown((shown) => say({ ...shown, transaction: {} })),
  'transactions: now and then none': (random) => transactionsShown((shown) => say(random() < 0.5 ? null : shown)),
  'signatures: none': () => about('getSignaturesForAddress', () => say([])),
  'signatures: half of them': (random) =>
    about('getSignaturesForAddress', (listed: Listed[]) => say(listed.filter(() => random() < 0.5))),
  'signatures: an invented one': (random) =>
    about('getSignaturesForAddress', (listed: Listed[]) => say([inventedIn(random, listed) ?? [], ...listed].flat())),
  'signatures: the oldest first': () =>
    about('getSignaturesForAddress', (listed: Listed[]) => say(listed.toReversed())),
  'history: the service asks for deleted blocks': () => about('getFirstAvailableBlock', () => say(2 ** 40)),
  'finality: ahead in statuses': () =>
    about('getSignatureStatuses', ({ context, value }: { context: unknown; value: (object | null)[] }) =>
      say({ context, value: value.map((each) => each && { ...each, confirmationStatus: 'finalized' }) }),
    ),
  'blockhash: not found': () =>
    about('sendTransaction', () => ({
      error: { code: -32_002, message: 'Blockhash not found', data: { err: 'BlockhashNotFound' } },
    })),
  'rent: 0': () => about('getMinimumBalanceForRentExemption', () => say(0)),
  'rent: falling': () => {
    let reads = 0;
    return about('getMinimumBalanceForRentExemption', (rent: number) => say(Math.floor(rent / 2 ** ++reads)));
  },
  'fees: none': () => about('getRecentPrioritizationFees', () => say([])),
  'cluster: another': () => about('getGenesisHash', () => say('4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY')),
  'blocks: they stand still': () => {
    const first = new Map<string, Said>();
    return ({ method, params }, said) => {
      const key = JSON.stringify([method, params]);
      if (!first.has(key)) first.set(key, said);
      return method === 'sendTransaction' ? said : (first.get(key) ?? said);
    };
  },
  'calls: unknown errors now and then': (random) => (_, said) =>
    random() < 0.2 ? error(-32_099, 'something is wrong') : said,
  'calls: a limit now and then': (random) => (_, said) => (random() < 0.2 ? error(429, 'Too many requests') : said),
};

/** Another lie needs a pass, other questions or a memory that all worlds share, or it swallows transactions, as `SolanaNode.swallows` does. */
const isAlteration = ({ name, ask, needsPass, swallowsSends }: Lie<SolanaScene>) =>
  ask === undefined && !needsPass && !swallowsSends && !(name in OWN);

/** The lies read only the program of the scene. */
const SCENE = { program: GATEWAY_PROGRAM } as Partial<SolanaScene> as SolanaScene;

const alterationBy =
  (lie: Lie<SolanaScene>): Alter =>
  (call, said) =>
    answerWithLies([lie], { id: 0, ...call }, said, SCENE);

const withheld =
  (name: string): Fault =>
  () =>
    alterationBy(withheldCalls().find((lie) => lie.name === name) as Lie<unknown>);

export const FAULTS: Readonly<Record<string, Fault>> = {
  ...OWN,
  ...Object.fromEntries(SOLANA_LIES.filter(isAlteration).map((lie) => [lie.name, () => alterationBy(lie)])),
  ...Object.fromEntries(withheldCalls().map(({ name }) => [name, withheld(name)])),
};
