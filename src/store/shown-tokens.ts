import type { PassKey } from '../pass/pass.ts';
import { byKey, type PublishedValidity, valuesOf } from './passes.ts';
import { findMoved } from './placements.ts';

/** The token of a pass as the read model shows it. */
export interface ShownToken extends Pick<PublishedValidity, 'onChainState' | 'until' | 'isPending'> {
  /** Undefined: the row may follow. */
  readonly contract: string | undefined;
  readonly version: number;
  /** Whether a transaction of the pass may be on its way: the row does not show its effect yet. */
  readonly isOpen: boolean;
}

type ShownRow = Omit<ShownToken, 'isPending' | 'isOpen'> & { readonly pending: number; readonly open: number };

const SHOWN = byKey(`
    on_chain_state AS onChainState, valid_until AS until, pending, version, record ->> 'contract' AS contract,
    state = 'REQUESTED' OR instr(record, '"status":"sent"') > 0 AS open`);

/** The token of a pass that may wait for the end of a move. Only its object knows more. */
const WAITING: ShownToken = {
  contract: undefined,
  version: 0,
  onChainState: 'NONE',
  until: null,
  isPending: false,
  isOpen: true,
};

/**
 * Returns the tokens of these passes in the same order; undefined for a pass without a row. While a gatekeeper network moves, and until
 * its passes are published afterwards, a row may lack what its object knows.
 */
export async function findShownTokens(db: D1Database, keys: readonly PassKey[]): Promise<(ShownToken | undefined)[]> {
  if (keys.length === 0) return [];
  const one = db.prepare(SHOWN);
  const answers = await db.batch<ShownRow>(keys.map((key) => one.bind(...valuesOf(key))));
  const moved = await findMoved(db, [...new Set(keys.map(({ gatekeeperNetwork }) => gatekeeperNetwork))]);
  return answers.map(({ results: [row] }, index) => {
    const mayWait = moved.includes(keys[index]?.gatekeeperNetwork ?? '');
    if (row === undefined) return mayWait ? WAITING : undefined;
    const { pending, open, ...token } = row;
    return { ...token, isPending: pending === 1, isOpen: open === 1 || mayWait };
  });
}
