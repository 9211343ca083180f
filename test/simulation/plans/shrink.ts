import { client, wallet } from '../steps/kind.ts';
import { renumber, type Step, shorterWaits } from '../steps/steps.ts';
import { CLIENTS } from '../world/identities.ts';
import type { Limits } from '../world/limits.ts';
import { WALLETS } from '../world/networks.ts';
import type { Plan } from './plan.ts';

/** Returns what kind of fault it is: the text without the names of a world, and without details in parentheses. */
export const kindOfFault = (fault: string): string =>
  fault.replaceAll(/\(.*\)/gs, '').replaceAll(/-?\b(0x[\da-f]+|[\dA-Za-z]{32,}|[\da-f-]{36}|\d+)\b/g, '…');

/** A list of steps in a plan. */
interface Part {
  steps(plan: Plan): readonly Step[];
  with(plan: Plan, steps: readonly Step[]): Plan;
}

/** Returns the lists of a plan. Empty ones keep their place. */
const partsOf = ({ prompt = [] }: Plan): readonly Part[] => [
  { steps: ({ late = [] }) => late, with: (plan, late) => ({ ...plan, late }) },
  ...prompt.map(
    (_, index): Part => ({
      steps: (plan) => plan.prompt?.[index] ?? [],
      with: (plan, steps) => ({ ...plan, prompt: (plan.prompt ?? []).with(index, steps) }),
    }),
  ),
  { steps: ({ steps }) => steps, with: (plan, steps) => ({ ...plan, steps }) },
];

/**
 * Returns the smallest plan that still fails: without the kinds, steps, keys and endpoints that the fault does not need, with short waits, and
 * with the first clients and wallets.
 * @param fails Whether a plan still has the fault.
 */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<Plan> {
  let smallest = plan;
  const take = async (candidate: Plan) => {
    const is = await fails(candidate);
    if (is) smallest = candidate;
    return is;
  };
  if (plan.prompt !== undefined) await take({ ...smallest, prompt: [] });
  const parts = partsOf(smallest);
  const stepsIn = (part: Part) => part.steps(smallest);
  const takeWith = (change: (steps: readonly Step[]) => readonly Step[]) =>
    take(parts.reduce((changed, part) => part.with(changed, change(stepsIn(part))), smallest));

  for (const kind of new Set(parts.flatMap(stepsIn).map(([name]) => name)))
    await takeWith((steps) => steps.filter(([name]) => name !== kind));
  for (const part of parts)
    for (let size = Math.ceil(stepsIn(part).length / 2), before = -1; size >= 1; ) {
      for (let from = stepsIn(part).length - size; from > -size; from -= size)
        await take(part.with(smallest, stepsIn(part).toSpliced(Math.max(0, from), Math.min(size, size + from))));
      if (size === 1 && before === stepsIn(part).length) break;
      before = stepsIn(part).length;
      size = Math.max(1, Math.floor(size / 2));
    }
  for (const name of Object.keys(smallest.limits ?? {})) {
    const { [name as keyof Limits]: _, ...limits } = smallest.limits ?? {};
    await take({ ...smallest, limits });
  }
  if (smallest.kms) await take({ ...smallest, kms: false });
  for (const part of ['keys', 'endpoints'] as const)
    while (smallest[part] > 1 && (await take({ ...smallest, [part]: smallest[part] - 1 })));
  for (const network of smallest.networks)
    if (smallest.networks.length > 1)
      await take({ ...smallest, networks: smallest.networks.filter((each) => each !== network) });
  for (const part of parts)
    for (const index of stepsIn(part).keys())
      for (const shorter of shorterWaits(stepsIn(part)[index] as Step))
        if (await take(part.with(smallest, stepsIn(part).with(index, shorter)))) break;
  for (const [things, count] of [
    [wallet, WALLETS.sepolia.length],
    [client, CLIENTS.length],
  ] as const)
    for (let from = count - 1; from > 0; from -= 1)
      for (let to = 0; to < from; to += 1) {
        const change = (steps: readonly Step[]) => steps.map((each) => renumber(each, things, from, to));
        const isOther = JSON.stringify(change(parts.flatMap(stepsIn))) !== JSON.stringify(parts.flatMap(stepsIn));
        if (isOther && (await takeWith(change))) break;
      }
  return smallest;
}
