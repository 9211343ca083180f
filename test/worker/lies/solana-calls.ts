import type { Lie } from '../../lies/lie.ts';
import { advance } from '../chain/solana/node.ts';
import { beginLife, isSettled, type Life, type LifeRow, passTime, request, stuckReasonOf } from './life.ts';
import { nowMs, setTime } from './simulated-time.ts';
import type { TestedChain } from './tested-chain.ts';

/** Issues and revokes passes while an endpoint answers one of its calls wrongly for good. */

const LIFETIME_SECONDS = 300 * 86_400;
/** A slot of the real clusters is no longer, so that no test is faster than they are. */
const SLOT_MS = 400;
const SLOTS_PER_TURN = 25;
/** The documented time: a transaction whose status is withheld counts once its blockhash has expired in the final chain. */
const WITHIN_MS = 120_000;

export interface Outcome {
  /** State of the token on chain after each request. */
  readonly shown: readonly (string | undefined)[];
  /** Why the pass waited after each request, undefined once it was settled. */
  readonly reasons: readonly (string | undefined)[];
  /** States that the chain must never show. */
  readonly faults: readonly string[];
}

/** The pass is issued and revoked on chain. */
export const DONE: Outcome = { shown: ['ACTIVE', 'REVOKED'], reasons: [undefined, undefined], faults: [] };

/** Returns what became of the pass of each call that is answered wrongly. */
export async function outcomesOf(
  chain: TestedChain,
  endpoints: LifeRow['endpoints'],
  lies: readonly Lie<unknown>[],
): Promise<Map<string, Outcome>> {
  const slowly = { ...chain, passTime: passTurn };
  const lives: Life[] = [];
  for (const lie of lies) {
    const life = await beginLife(chain, { title: lie.name, lies: [[lie]], endpoints });
    life.lies = [lie];
    lives.push(life);
  }
  const outcomes = lives.map((life) => ({
    life,
    shown: [] as (string | undefined)[],
    reasons: [] as (string | undefined)[],
  }));
  for (const change of ['issue', { state: 'REVOKED' }] as const) {
    await Promise.all(lives.map((life) => request(life, change, LIFETIME_SECONDS)));
    const end = nowMs() + WITHIN_MS;
    // Passes that are done need no further turns.
    let open = lives;
    for (let turn = 0; nowMs() < end && open.length > 0; turn += 1) {
      await passTime(slowly, open, turn);
      const settled = await Promise.all(open.map(isSettled));
      open = open.filter((_, index) => !settled[index]);
    }
    for (const { life, shown, reasons } of outcomes) {
      const [token, ...others] = await chain.tokensOf(life.key);
      if (others.length > 0) life.faults.push(`the wallet has ${others.length + 1} tokens`);
      shown.push(token?.state);
      reasons.push((await isSettled(life)) ? undefined : ((await stuckReasonOf(life))?.text ?? 'no reason'));
    }
  }
  return new Map(outcomes.map(({ life, shown, reasons }) => [life.row.title, { shown, reasons, faults: life.faults }]));
}

async function passTurn(): Promise<void> {
  await advance(SLOTS_PER_TURN);
  setTime(nowMs() + SLOTS_PER_TURN * SLOT_MS);
}
