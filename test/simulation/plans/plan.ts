import fc from 'fast-check';
import { type Step, someKinds, stepOf } from '../steps/steps.ts';
import type { Limits } from '../world/limits.ts';
import { type ChainNetwork, NETWORKS } from '../world/networks.ts';
import { THEMES } from './themes.ts';

/** A world as data: its order of events, its size and its steps. */
export interface Plan {
  readonly seed: number;
  /** Number of gatekeeper keys on each chain: 1 or 2. */
  readonly keys: number;
  /** Number of endpoints of each network: 1 to 3. */
  readonly endpoints: number;
  readonly networks: readonly ChainNetwork[];
  readonly steps: readonly Step[];
  /** Whether the first key of each chain is in a KMS. */
  readonly kms?: boolean;
  readonly limits?: Limits;
  /** The numbers of the contracts on sepolia that are of the build SlimGateway; undefined: none. */
  readonly slim?: readonly number[];
  /** Groups of steps after the rest. After each group, everything settles within the documented times. */
  readonly prompt?: readonly (readonly Step[])[];
  /** Steps after all that, while partners do nothing. */
  readonly late?: readonly Step[];
}

/** Daily numbers that some steps reach. */
const someLimits: fc.Arbitrary<Limits> = fc.record(
  { issuances: fc.integer({ min: 1, max: 2 }), changes: fc.nat(3), passChanges: fc.integer({ min: 1, max: 2 }) },
  { requiredKeys: [] },
);

/**
 * A random world. It has some kinds of steps only, so that these meet more often.
 * @param only The kinds of its steps besides the basic ones; undefined: a theme, or some of all.
 */
const planOf = (only?: readonly string[]): fc.Arbitrary<Plan> =>
  fc
    .record({
      kinds: only ? fc.constant(only) : fc.oneof(fc.constant(undefined), fc.constantFrom(...THEMES)),
      // Two networks take the time of two worlds, and little meets there.
      networks: fc.oneof(
        { weight: 5, arbitrary: fc.constant<readonly ChainNetwork[]>(['sepolia']) },
        { weight: 4, arbitrary: fc.constant<readonly ChainNetwork[]>(['devnet']) },
        { weight: 1, arbitrary: fc.constant(NETWORKS) },
      ),
      kms: fc.constantFrom(false, false, false, true),
    })
    .chain(({ kinds: only, ...world }) =>
      fc.tuple(
        fc.constant(world),
        someKinds({ ...world, when: 'first', only }),
        someKinds({ ...world, when: 'prompt' }),
        someKinds({ ...world, when: 'late', only }),
      ),
    )
    .chain(([world, kinds, promptKinds, lateKinds]) =>
      fc.record({
        seed: fc.nat(2 ** 31 - 1),
        keys: fc.integer({ min: 1, max: 2 }),
        endpoints: fc.integer({ min: 1, max: 3 }),
        networks: fc.constant(world.networks),
        kms: fc.constant(world.kms),
        limits: fc.oneof({ weight: 3, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: someLimits }),
        // Most steps need a pass.
        steps: fc
          .tuple(
            stepOf([['issue', 1]], world.networks),
            fc.array(stepOf(kinds, world.networks), { minLength: 4, maxLength: 11, size: 'max' }),
          )
          .map(([first, others]) => [first, ...others]),
        prompt: fc.oneof(
          { weight: 3, arbitrary: fc.constant([]) },
          {
            weight: 1,
            arbitrary: fc.array(fc.array(stepOf(promptKinds, world.networks), { minLength: 1, maxLength: 3 }), {
              minLength: 1,
              maxLength: 3,
              size: 'max',
            }),
          },
        ),
        // Time after the rest costs most.
        late: fc.oneof(
          { weight: 9, arbitrary: fc.constant([]) },
          {
            weight: lateKinds.some(([name]) => name !== 'wait') ? 1 : 0,
            arbitrary: fc.array(stepOf(lateKinds, world.networks), { minLength: 1, maxLength: 5, size: 'max' }),
          },
        ),
      }),
    );

/** The contracts that are of the build SlimGateway in a world that has some. */
const SLIM = [[0], [0, 1], [1], [0]] as const;

/**
 * Returns the world of a seed.
 * @param isSlim Whether some of its contracts are of the build SlimGateway. The rest of the world is the same without them.
 */
export function worldOf(seed: number, only?: readonly string[], isSlim = false): Plan {
  const [plan] = fc.sample(planOf(only), { seed, numRuns: 1 });
  return { ...(plan as Plan), ...(isSlim && { slim: SLIM[seed % SLIM.length] as readonly number[] }) };
}
