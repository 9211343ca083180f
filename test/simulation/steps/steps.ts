import fc from 'fast-check';
import type { ChainNetwork } from '../world/networks.ts';
import type { World } from '../world/world.ts';
import { CHAIN_STEPS } from './chains.ts';
import { DAPP_STEPS } from './dapps.ts';
import { type client, type Kind, type Kinds, kind, network, type Values, type wallet } from './kind.ts';
import { OPERATOR_STEPS } from './operator.ts';
import { OPERATOR_REQUEST_STEPS } from './operator-requests.ts';
import { OTHERS_STEPS } from './others.ts';
import { PASS_STEPS, WEBHOOK_STEPS } from './partners.ts';
import { PLATFORM_STEPS } from './platform.ts';
import { READING_STEPS } from './readings.ts';
import { REQUEST_STEPS } from './requests.ts';
import { RESTORE_STEPS } from './restores.ts';
import { SIGNER_STEPS } from './signers.ts';
import { STAFF_STEPS } from './staff.ts';

/** The steps of a world. Each is plain data, so that a world can be stored, shortened and played again. */

/** A step: its kind, and values whose meaning the kind knows. */
export type Step = readonly [kind: string, ...values: Values];

const WAITS = [0, 1, 3, 12, 30, 90];

const TIME_STEPS: Kinds = {
  wait: kind(
    { weight: 12, prompt: 4, late: 1, isBasic: true },
    [fc.constantFrom(...WAITS)],
    (seconds) => `${seconds} s pass`,
    (world, seconds) => world.pass(seconds),
  ),
};

/** Seeds depend on the order: a kind at another place gives each seed another world. */
const KINDS: Kinds = {
  ...PASS_STEPS,
  ...TIME_STEPS,
  ...OTHERS_STEPS,
  ...OPERATOR_STEPS,
  ...WEBHOOK_STEPS,
  ...CHAIN_STEPS,
  ...PLATFORM_STEPS,
  ...SIGNER_STEPS,
  ...OPERATOR_REQUEST_STEPS,
  ...DAPP_STEPS,
  ...REQUEST_STEPS,
  ...READING_STEPS,
  ...STAFF_STEPS,
  ...RESTORE_STEPS,
};

/** The fewest kinds of steps of a world besides the basic ones. */
const MIN_KINDS = 3;

export interface Offer {
  readonly networks: readonly ChainNetwork[];
  /** Whether the first key of each chain is in a KMS. */
  readonly kms: boolean;
  /** When its steps happen. */
  readonly when: 'first' | 'prompt' | 'late';
  /** The kinds of steps besides the basic ones; undefined: all. */
  readonly only?: readonly string[] | undefined;
}

/** A random kind, and its weight among others. */
type Weighted = readonly [name: string, weight: number];

/** Random kinds of steps for such a world: the basic ones, and some others. */
export function someKinds(offer: Offer): fc.Arbitrary<readonly Weighted[]> {
  const offered = Object.entries(KINDS).filter(([name, each]) => isOffered(name, each, offer));
  const weighted = ([name, { weight, prompt = 0, late = 0 }]: readonly [string, Kind]): Weighted => [
    name,
    { first: weight, prompt, late }[offer.when],
  ];
  const [basic, others] = [true, false].map((is) => offered.filter(([, { isBasic = false }]) => isBasic === is)) as [
    typeof offered,
    typeof offered,
  ];
  return fc
    .subarray(others.map(weighted), { minLength: Math.min(MIN_KINDS, others.length) })
    .map((some) => [...basic.map(weighted), ...some]);
}

/** A random step of one of these kinds. */
export function stepOf(kinds: readonly Weighted[], networks: readonly ChainNetwork[]): fc.Arbitrary<Step> {
  const own = fc.constantFrom(...networks);
  return fc.oneof(
    ...kinds.map(([name, weight]) => ({
      weight,
      arbitrary: fc.tuple(
        fc.constant(name),
        ...(KINDS[name] as Kind).values.map((each) => (each === network ? own : each)),
      ) as unknown as fc.Arbitrary<Step>,
    })),
  );
}

function isOffered(
  name: string,
  { prompt, late, on, needsKms, isBasic }: Kind,
  { networks, kms, when, only }: Offer,
): boolean {
  // An hour on Solana is long.
  const isLong = name === 'voiding' && networks.includes('devnet');
  return (
    (kms || !needsKms) &&
    (when !== 'prompt' || prompt !== undefined) &&
    (when !== 'late' || (late !== undefined && !isLong)) &&
    (on === undefined || networks.includes(on)) &&
    (only === undefined || isBasic === true || only.includes(name))
  );
}

/** Returns the steps that wait less. */
export function shorterWaits([name, seconds]: Step): Step[] {
  return name === 'wait' ? WAITS.filter((each) => each < Number(seconds)).map((each) => [name, each]) : [];
}

/** Returns the step with another number in place of one of its clients or wallets. */
export function renumber(
  [name, ...values]: Step,
  things: typeof client | typeof wallet,
  from: number,
  to: number,
): Step {
  const isOfThings = (index: number) => KINDS[name]?.values[index] === things;
  return [name, ...values.map((value, index) => (isOfThings(index) && value === from ? to : value))];
}

/** Returns the step as a sentence. */
export const wordsOf = ([name, ...values]: Step): string => KINDS[name]?.words(...(values as never[])) ?? name;

export async function takeStep(world: World, [name, ...values]: Step): Promise<void> {
  await KINDS[name]?.run(world, ...(values as never[]));
}
