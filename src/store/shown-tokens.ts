import type { PassKey } from '../pass/pass.ts';
import { byKey, type PublishedValidity, valuesOf } from './passes.ts';

/** The token of a pass as the read model shows it. */
export interface ShownToken extends Pick<PublishedValidity, 'onChainState' | 'until' | 'isPending'> {
  readonly contract: string;
  readonly version: number;
  /** Whether a transaction of the pass may be on its way: the row does not show its effect yet. */
  readonly isOpen: boolean;
}

type ShownRow = Omit<ShownToken, 'isPending' | 'isOpen'> & { readonly pending: number; readonly open: number };

const SHOWN = byKey(`
    on_chain_state AS onChainState, valid_until AS until, pending, version, record ->> 'contract' AS contract,
    state = 'REQUESTED' OR instr(record, '"status":"sent"') > 0 AS open`);

/** Returns the tokens of these passes in the same order; undefined for a pass without a row. */
export async function findShownTokens(db: D1Database, keys: readonly PassKey[]): Promise<(ShownToken | undefined)[]> {
  if (keys.length === 0) return [];
  const one = db.prepare(SHOWN);
  const answers = await db.batch<ShownRow>(keys.map((key) => one.bind(...valuesOf(key))));
  return answers.map(({ results: [row] }) => {
    if (row === undefined) return undefined;
    const { pending, open, ...token } = row;
    return { ...token, isPending: pending === 1, isOpen: open === 1 };
  });
}
