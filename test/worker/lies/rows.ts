import { inject } from 'vitest';
import { ETHEREUM_LIES } from '../../lies/ethereum-lies.ts';
import { type Lie, pairsOf } from '../../lies/lie.ts';
import { SOLANA_LIES } from '../../lies/solana-lies.ts';
import type { LifeRow } from './life.ts';
import { LIFE_REQUESTS } from './live.ts';

/** The rows of the table of lies. */

type AnyLie = Lie<never>;

const named = (lies: readonly AnyLie[], ...names: string[]): AnyLie[] =>
  names.map((name) => {
    const found = lies.find((lie) => lie.name === name);
    if (found === undefined) throw new Error(`there is no lie "${name}"`);
    return found;
  });

/** One of two endpoints tells these lies together, after each request. */
const rowOf = (liar: 1 | 2, lies: readonly AnyLie[]): LifeRow => ({
  title: `endpoint ${liar} lies: ${lies.map(({ name }) => name).join(' + ')}`,
  lies: [lies],
  endpoints: liar === 1 ? ['lying', 'honest'] : ['honest', 'lying'],
});

/** The second of two endpoints tells these lies in turn, one after each request. */
const rowInTurn = (lies: readonly AnyLie[]): LifeRow => ({
  title: `endpoint 2 lies in turn: ${lies.map(({ name }) => name).join(', ')}`,
  lies: lies.map((lie) => [lie]),
  endpoints: ['honest', 'lying'],
});

interface LiesOfChain {
  readonly all: readonly AnyLie[];
  /** Lies that together once made the service mint without end. */
  readonly attack: readonly AnyLie[];
  /** Pairs of the short form. */
  readonly pairs: readonly (readonly AnyLie[])[];
}

/** The short form has every lie once, the long form every lie at either endpoint and every pair at the first. */
function rowsOf({ all, attack, pairs }: LiesOfChain): LifeRow[] {
  if (inject('form') === 'long') {
    const sets = [...all.map((lie) => [lie]), attack];
    return [...sets.flatMap((lies) => [rowOf(1, lies), rowOf(2, lies)]), ...pairsOf(all).map((pair) => rowOf(1, pair))];
  }
  const once = all.map((lie) => rowOf(1, [lie]));
  if (inject('form') === 'short') return once;
  const starts = all.flatMap((_, index) => (index % LIFE_REQUESTS === 0 ? index : []));
  return [
    ...once,
    ...starts.map((start) => rowInTurn(all.slice(start, start + LIFE_REQUESTS))),
    rowOf(1, attack),
    rowOf(2, attack),
    ...pairs.map((pair) => rowOf(1, pair)),
  ];
}

const ON_ETHEREUM: LiesOfChain = {
  all: ETHEREUM_LIES,
  attack: named(ETHEREUM_LIES, 'receipts: none', 'transactions: none', 'tokens: none', 'final nonce: too high'),
  pairs: [
    named(ETHEREUM_LIES, 'receipts: success', 'sends: swallowed'),
    named(ETHEREUM_LIES, "tokens: another wallet's", 'simulations: success'),
    named(ETHEREUM_LIES, 'receipts: failure', 'finality: ahead'),
  ],
};

const ON_SOLANA: LiesOfChain = {
  all: SOLANA_LIES,
  attack: named(SOLANA_LIES, 'statuses: none', 'tokens: accounts of others', 'height: ahead'),
  pairs: [
    named(SOLANA_LIES, 'statuses: success', 'sends: swallowed'),
    named(SOLANA_LIES, 'lifetime: without end', 'fees: too high'),
    named(SOLANA_LIES, 'lifetime: without end', 'sends: swallowed'),
  ],
};

export const ETHEREUM_ROWS = rowsOf(ON_ETHEREUM);
export const SOLANA_ROWS = rowsOf(ON_SOLANA);

const alone = ({ attack }: LiesOfChain): LifeRow => ({ title: 'attack', lies: [attack], endpoints: ['lying'] });

/** A life with a single endpoint that attacks. */
export const ETHEREUM_ATTACK = alone(ON_ETHEREUM);
export const SOLANA_ATTACK = alone(ON_SOLANA);
