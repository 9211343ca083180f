import type { Role, RoleHolder } from '../chain/watch-port.ts';
import { HOUR_MS, MINUTE_MS, nowSeconds } from '../lib/units.ts';
import { log, logFault } from '../log/log.ts';
import { contractOf } from '../network/network.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Store } from '../store/store.ts';
import type { ListedGatekeeper } from '../store/validity.ts';
import type { ContractWatch } from './contract-watch.ts';
import type { WaitingChange } from './waiting-changes.ts';
import { isInContract, isOwnKey, type WatchedNetwork } from './watched-network.ts';
import type { WatcherStore } from './watcher-store.ts';

/** Handles the changes of gatekeepers' roles and of the contracts' code. */

/** Maximum number of changes of each kind that one interval handles. */
const HANDLED_MAX = 10;
/** Maximum number of changed roles among which one interval looks for those of own keys. */
const SORTED_MAX = 1_000;
/** How often the gatekeepers are checked again. */
const RECHECK_MS = HOUR_MS;
/** Maximum number of gatekeepers that one interval checks again. */
const RECHECKED_MAX = 50;
const RETRY_MAX_MS = MINUTE_MS;

interface Parts {
  readonly store: WatcherStore;
  readonly database: Pick<
    Store,
    'findOwners' | 'addRemovedGatekeeper' | 'deleteRemovedGatekeeper' | 'gatekeepersAfter'
  >;
  readonly contracts: ContractWatch;
}

/** Handles the changes of roles and code that are due. One that fails waits for its next try. */
export async function handleContractChanges(parts: Parts, watched: WatchedNetwork): Promise<void> {
  const { store } = parts;
  const facts = { network: watched.network.network, part: 'contract changes' };
  const dueOf = (type: 'role' | 'upgraded', limit: number) => store.changes.due(store.history, Date.now(), type, limit);
  const isOwn = ({ changes: [change] }: WaitingChange) => change?.type === 'role' && isOwnKey(watched, change.account);
  const ownFirst = dueOf('role', SORTED_MAX).toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  for (const waiting of [...ownFirst.slice(0, HANDLED_MAX), ...dueOf('upgraded', HANDLED_MAX)]) {
    try {
      const [change] = waiting.changes;
      if (change?.type === 'role') await handleRole(parts, watched, change);
      else await parts.contracts.run(watched, true);
      store.changes.delete([waiting.subject]);
    } catch (fault) {
      logFault('watcher.run_failed', fault, facts);
      store.changes.postpone(waiting, watched.intervalMs, RETRY_MAX_MS, Date.now());
    }
  }
}

/**
 * Checks the gatekeepers of all passes again, some of them in each interval: a gatekeeper network may begin or cease to void the tokens of
 * removed gatekeepers, and no log says so. D1 may have been restored, or a removal may have left the chain. Throws if the endpoints do not
 * show a role, or D1 does not answer.
 */
export async function recheckGatekeepers(parts: Parts, watched: WatchedNetwork): Promise<void> {
  const { store, database } = parts;
  const { at, after } = store.recheck;
  const isFirst = after === undefined;
  if (isFirst && Date.now() < at + RECHECK_MS) return;
  const listed = await database.gatekeepersAfter(watched.network.network, after, RECHECKED_MAX);
  const { removedGatekeepers, lostGatekeepers } = store.counts;
  const remembered = isFirst ? [...removedGatekeepers, ...lostGatekeepers] : [];
  // If no endpoint answers, the next interval checks the same ones.
  const isShown = await checkRoles(parts, watched, [...listed, ...remembered]);
  const { gatekeeperNetwork, gatekeeper } = listed.at(-1) ?? {};
  const isLast = listed.length < RECHECKED_MAX || gatekeeperNetwork === undefined || gatekeeper === undefined;
  store.setRecheck(isFirst ? Date.now() : at, isLast ? undefined : { gatekeeperNetwork, gatekeeper });
  if (!isShown) throw new Error(NOT_SHOWN);
}

async function handleRole(parts: Parts, watched: WatchedNetwork, { account, ...role }: RoleHolder): Promise<void> {
  const { contract, gatekeeperNetwork } = role;
  if (!(await checkRoles(parts, watched, [{ contract, gatekeeperNetwork, gatekeeper: account }])))
    throw new Error(NOT_SHOWN);
}

const NOT_SHOWN = 'two endpoints do not show the same role';

/** A gatekeeper whose role is read. `isVoid`: whether public checks count its tokens as void (0 or 1); undefined: it is unknown here. */
interface Checked extends Pick<ListedGatekeeper, 'gatekeeperNetwork' | 'gatekeeper' | 'contract'> {
  readonly isVoid?: number | undefined;
}

/** Records the roles of gatekeepers of partners. Returns whether the endpoints show all of them. Throws if D1 does not answer. */
async function checkRoles(parts: Parts, watched: WatchedNetwork, gatekeepers: readonly Checked[]): Promise<boolean> {
  const { port, network } = watched;
  const owners = await parts.database.findOwners([...new Set(gatekeepers.map((each) => each.gatekeeperNetwork))]);
  const ours = gatekeepers.flatMap((each) => {
    const owner = owners.get(each.gatekeeperNetwork);
    // An earlier release did not name the contract in D1, and remembered gatekeepers of strangers.
    const contract = each.contract || contractOf(owner?.contracts ?? {}, network);
    const isVoid = each.contract === '' ? undefined : each.isVoid;
    if (isInContract(owner, network, contract)) return [{ ...each, contract, isVoid }];
    parts.store.setRemoved(each, false);
    parts.store.setLost(each, false);
    return [];
  });
  const roles = await port.readRoles(
    ours.map(({ contract, gatekeeperNetwork, gatekeeper }) => ({
      contract,
      gatekeeperNetwork: gatekeeperNetwork as GatekeeperNetwork,
      account: gatekeeper,
    })),
  );
  for (const [index, each] of ours.entries()) {
    const role = roles[index];
    if (role !== undefined) await recordRole(parts, watched, each, role);
  }
  return !roles.includes(undefined);
}

async function recordRole(
  { store, database }: Parts,
  watched: WatchedNetwork,
  { gatekeeperNetwork, gatekeeper, contract, isVoid: wasVoid }: Checked,
  role: Role,
): Promise<void> {
  const { network } = watched.network;
  const isVoid = role === 'void';
  const known = { gatekeeperNetwork, network, gatekeeper, contract };
  const isListed = wasVoid !== undefined;
  if (!isListed || isVoid !== (wasVoid === 1)) {
    if (isVoid) await database.addRemovedGatekeeper(known, nowSeconds());
    else await database.deleteRemovedGatekeeper(known);
  }
  const isOwn = (each: { readonly gatekeeper: string }) => isOwnKey(watched, each.gatekeeper);
  const isNew = store.setRemoved({ contract, gatekeeperNetwork, gatekeeper }, isVoid, isOwn);
  // D1 lists those that have issued tokens of passes.
  if (!isListed) store.setLost({ contract, gatekeeperNetwork, gatekeeper }, role === 'lost');
  if (isListed ? isVoid === (wasVoid === 1) : !isNew) return;
  const facts = { network, gatekeeper_network: gatekeeperNetwork, gatekeeper };
  if (isVoid) logFault('watcher.gatekeeper_removed', 'the tokens of a removed gatekeeper are void', facts);
  else log('watcher.gatekeeper_returned', facts);
}
