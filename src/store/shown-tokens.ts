import type { PassKey } from '../pass/pass.ts';
import { byKey, type PublishedValidity, valuesOf } from './passes.ts';

/** The token of a pass as the read model shows it. */
export interface ShownToken extends Pick<PublishedValidity, 'onChainState' | 'until' | 'isPending'> {
  readonly contract: string;
  readonly version: number;
}

type ShownRow = Omit<ShownToken, 'isPending'> & { readonly pending: number };

const SHOWN = byKey(`
    on_chain_state AS onChainState, valid_until AS until, pending, version, record ->> 'contract' AS contract`);

/** Returns the tokens of these passes in the same order; undefined for a pass without a row. */
export async function findShownTokens(db: D1Database, keys: readonly PassKey[]): Promise<(ShownToken | undefined)[]> {
  if (keys.length === 0) return [];
  const one = db.prepare(SHOWN);
  const answers = await db.batch<ShownRow>(keys.map((key) => one.bind(...valuesOf(key))));
  return answers.map(({ results: [row] }) => {
    if (row === undefined) return undefined;
    const { pending, ...token } = row;
    return { ...token, isPending: pending === 1 };
  });
}
