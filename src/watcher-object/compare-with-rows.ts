import type { ResolvedChange, TokenOwner } from '../chain/watch-port.ts';
import { nowSeconds } from '../lib/units.ts';
import type { Network } from '../network/network.ts';
import type { Cause, PassKey } from '../pass/pass.ts';
import type { Change, OnChainState } from '../pass/vocabulary.ts';
import type { ShownToken } from '../store/shown-tokens.ts';
import type { Store } from '../store/store.ts';
import type { WaitingChange } from './waiting-changes.ts';
import { isInContract } from './watched-network.ts';
import type { WatcherStore } from './watcher-store.ts';

/** Compares changes with the rows of the read model. A change that belongs to no pass, or that the row shows already, ends here. */

interface Rows {
  readonly store: WatcherStore;
  readonly database: Pick<Store, 'findOwners' | 'findShownTokens'>;
}

/** A token whose owner is known. */
interface HeldToken {
  readonly waiting: WaitingChange;
  readonly holder: TokenOwner;
}

/** A token as the chain has it now. */
export interface ResolvedToken extends HeldToken {
  readonly resolved: readonly [ResolvedChange, ...ResolvedChange[]];
}

/** A token that differs from the row of its pass. */
export interface DifferingToken extends HeldToken {
  readonly key: PassKey;
  /** The version of the row. */
  readonly version: number;
  readonly causes: readonly Cause[];
}

/** Returns the rows of the owners' passes, in order; undefined for an owner without a pass. Throws if D1 does not answer. */
async function rowsOf({ database }: Rows, network: Network, tokens: readonly HeldToken[]) {
  const owners = await database.findOwners([...new Set(tokens.map(({ holder }) => holder.gatekeeperNetwork))]);
  const found = tokens.map(({ holder, waiting }) => {
    const owner = owners.get(holder.gatekeeperNetwork);
    const isOurs = waiting.changes.some(({ contract }) => isInContract(owner, network, contract));
    return { key: keyOf(network, holder), isOurs };
  });
  const ours = found.flatMap(({ key, isOurs }) => (isOurs ? [key] : []));
  const rows = await database.findShownTokens(ours);
  return found.map((each) => ({ ...each, row: rows.get(each.key) }));
}

const keyOf = ({ chain, network }: Network, { gatekeeperNetwork, wallet }: TokenOwner): PassKey => ({
  gatekeeperNetwork,
  chain,
  network,
  wallet,
});

/** Maximum number of issued tokens without a pass that an interval reads, to find their gatekeepers. It only counts the others. */
const ISSUERS_RESOLVED_MAX = 50;

/**
 * Deletes the changes of wallets without a pass, except some issuances whose gatekeeper is to be found. Returns the other changes: also
 * those whose owner no log names, because they may belong to a pass.
 */
export async function dropWithoutPass(
  rows: Rows,
  network: Network,
  due: readonly WaitingChange[],
): Promise<WaitingChange[]> {
  const held = due.flatMap((waiting): HeldToken[] => {
    const holder = holderIn(waiting);
    return holder === undefined ? [] : [{ waiting, holder }];
  });
  const found = await rowsOf(rows, network, held);
  const without = held.filter((_, index) => found[index]?.row === undefined);
  const isMint = ({ waiting }: HeldToken) => waiting.changes.some((each) => each.type === 'token' && isIssuance(each));
  const issued = without.filter((each) => isMint(each) && found[held.indexOf(each)]?.isOurs);
  // Only the reading of a mint names its gatekeeper. A gatekeeper that mints many tokens must not fill the table with them.
  const resolved = issued.slice(0, ISSUERS_RESOLVED_MAX);
  const dropped = without.filter((each) => !resolved.includes(each));
  const now = nowSeconds();
  const byNetwork = Map.groupBy(issued.slice(ISSUERS_RESOLVED_MAX), ({ holder }) => holder.gatekeeperNetwork);
  rows.store.commit(() => {
    rows.store.changes.delete(dropped.map(({ waiting }) => waiting.subject));
    for (const tokens of byNetwork.values())
      rows.store.countIssued({ ...placeOf(tokens[0] as HeldToken), gatekeeper: null }, now, tokens.length);
  });
  const subjects = new Set(dropped.map(({ waiting }) => waiting));
  return due.filter((waiting) => !subjects.has(waiting));
}

/** The gatekeeper network of a token and its contract. */
const placeOf = ({ holder: { gatekeeperNetwork }, waiting }: HeldToken) => ({
  gatekeeperNetwork,
  contract: waiting.changes[0]?.contract ?? '',
});

const isIssuance = ({ change }: Pick<ResolvedChange, 'change'>) => change === 'TOKEN_ISSUED';

/** The owner, if the logs of all changes name the same one: a log that an endpoint has invented may name another. */
function holderIn({ changes }: WaitingChange): TokenOwner | undefined {
  const [first, ...others] = changes.map((change) => (change.type === 'token' ? change.holder : undefined));
  const isSame = (each: TokenOwner | undefined) =>
    each?.wallet === first?.wallet && each?.gatekeeperNetwork === first?.gatekeeperNetwork;
  return others.every(isSame) ? first : undefined;
}

/**
 * Deletes the changes that no pass needs, and returns the tokens that differ from their rows.
 * @param isEnd Whether the word of this reading ends a change. Called once for each.
 */
export async function findDiffering(
  rows: Rows,
  network: Network,
  tokens: readonly ResolvedToken[],
  isEnd: (waiting: WaitingChange) => boolean,
): Promise<DifferingToken[]> {
  const found = await rowsOf(rows, network, tokens);
  const now = nowSeconds();
  const isNewsAt = (index: number) => {
    const [token, row] = [tokens[index], found[index]?.row];
    return token !== undefined && row !== undefined && isNews(token, row);
  };
  const withNews = new Set(tokens.filter((_, index) => isNewsAt(index)).map(({ waiting }) => waiting));
  return rows.store.commit(() =>
    tokens.flatMap((token, index): DifferingToken[] => {
      const { waiting, resolved } = token;
      const { key, isOurs, row } = found[index] ?? {};
      if (key === undefined) return [];
      const isNone = row === undefined || !isNewsAt(index);
      // Another owner's pass decides the change.
      if (isNone && withNews.has(waiting)) return [];
      if (isNone && !isEnd(waiting)) return [];
      const issuance = resolved.find(isIssuance);
      if (row === undefined && isOurs && issuance !== undefined)
        rows.store.countIssued({ ...placeOf(token), gatekeeper: issuance.gatekeeper ?? null }, now);
      if (isNone) {
        rows.store.changes.delete([waiting.subject]);
        return [];
      }
      const causes = resolved.map(({ change, transaction, gatekeeper }) => ({ change, transaction, gatekeeper }));
      return [{ waiting, holder: token.holder, key, version: row.version, causes }];
    }),
  );
}

/**
 * Whether the token differs from the row, or a log names a loss that the row does not show, or a loss that is noted there must be
 * confirmed or taken back. One endpoint that says otherwise must not hide a loss: the pass asks two. While a transaction of the pass is on
 * its way, the row says nothing: its outcome may still show a state that others have ended.
 */
function isNews({ waiting, resolved }: ResolvedToken, row: ShownToken): boolean {
  const token = resolved.at(-1) ?? resolved[0];
  if (row.contract !== undefined && token.contract.toLowerCase() !== row.contract.toLowerCase()) return false;
  const isSame = token.state === row.onChainState && (token.expiry ?? null) === row.until;
  const losesMore = resolved.some(({ change }) => LOST_STATES[change]?.includes(row.onChainState));
  return !isSame || losesMore || row.isPending || row.isOpen || waiting.isObserved;
}

/** The states of a row that do not show the loss of each change. An earlier expiry shows in none. */
const LOST_STATES: Readonly<Partial<Record<Change, readonly OnChainState[]>>> = {
  TOKEN_FROZEN: ['ACTIVE'],
  TOKEN_REVOKED: ['ACTIVE', 'FROZEN'],
  TOKEN_EXPIRY_CHANGED: ['ACTIVE', 'FROZEN'],
};
