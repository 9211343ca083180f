import type { RoleHolder } from '../chain/watch-port.ts';
import { HOUR_MS, MINUTE_MS, nowSeconds, SECOND_MS } from '../lib/time.ts';
import { within } from '../lib/with-timeout.ts';
import { log, logFault } from '../log/log.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Store } from '../store/store.ts';
import type { WaitingChange } from './waiting-changes.ts';
import { isOwnKey, type WatchedNetwork } from './watched-network.ts';
import type { WatcherStore } from './watcher-store.ts';

/** Handles the changes of gatekeepers' roles and of the contracts' code. */

/** Maximum number of changes of each kind that one interval handles. */
const HANDLED_MAX = 10;
/** Maximum number of changed roles among which one interval looks for those of own keys. */
const SORTED_MAX = 1_000;
/** How often the removed gatekeepers are checked again. */
const RECHECK_MS = HOUR_MS;
const RETRY_MAX_MS = MINUTE_MS;
const CHECK_TIMEOUT_MS = 10 * SECOND_MS;

interface Parts {
  readonly store: WatcherStore;
  readonly database: Pick<Store, 'findShards' | 'addRemovedGatekeeper' | 'deleteRemovedGatekeeper'>;
  readonly env: Pick<Env, 'SIGNERS'>;
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
      else await checkContracts(parts, watched);
      store.changes.delete([waiting.subject]);
    } catch (fault) {
      logFault('watcher.run_failed', fault, facts);
      store.changes.postpone(waiting, watched.intervalMs, RETRY_MAX_MS, Date.now());
    }
  }
}

/**
 * Checks the removed gatekeepers again, because D1 may have been restored, the removal may have left the chain, or the network may have
 * given up the feature. Throws the last fault.
 */
export async function recheckRemoved(parts: Parts, watched: WatchedNetwork): Promise<void> {
  const { store } = parts;
  if (Date.now() < store.recheckedAt + RECHECK_MS) return;
  store.setRecheckedAt(Date.now());
  let fault: unknown;
  for (const { contract, gatekeeperNetwork, gatekeeper } of store.counts.removedGatekeepers) {
    const holder = { contract, gatekeeperNetwork: gatekeeperNetwork as GatekeeperNetwork, account: gatekeeper };
    await handleRole(parts, watched, holder).catch((thrown: unknown) => {
      fault = thrown;
    });
  }
  if (fault !== undefined) throw fault;
}

/** Records whether the tokens of a gatekeeper are void. Throws if the endpoints do not show it, or D1 does not answer. */
async function handleRole({ store, database }: Parts, watched: WatchedNetwork, holder: RoleHolder): Promise<void> {
  const { gatekeeperNetwork, account: gatekeeper, contract } = holder;
  const {
    port,
    network: { network },
  } = watched;
  const shard = (await database.findShards([gatekeeperNetwork])).get(gatekeeperNetwork);
  // No partner has passes there.
  if (shard === undefined) return;
  const isVoid = await port.hasVoidTokens({ contract, gatekeeperNetwork, account: gatekeeper });
  if (isVoid === undefined) throw new Error('two endpoints do not show the same role');
  const removed = { shard, gatekeeperNetwork, network, gatekeeper };
  if (isVoid) await database.addRemovedGatekeeper(removed, nowSeconds());
  else await database.deleteRemovedGatekeeper(removed);
  const isOwn = (each: { readonly gatekeeper: string }) => isOwnKey(watched, each.gatekeeper);
  if (!store.setRemoved({ contract, gatekeeperNetwork, gatekeeper }, isVoid, isOwn)) return;
  const facts = { network, gatekeeper_network: gatekeeperNetwork, gatekeeper };
  if (isVoid) logFault('watcher.gatekeeper_removed', 'the tokens of a removed gatekeeper are void', facts);
  else log('watcher.gatekeeper_returned', facts);
}

/** Has each signer check the code of its contracts at once. Throws if a signer does not answer. */
async function checkContracts({ env }: Parts, { signers }: WatchedNetwork): Promise<void> {
  const checks = signers.map((name) =>
    within(CHECK_TIMEOUT_MS, env.SIGNERS.getByName(name).checkContracts(), 'the signer'),
  );
  for (const check of await Promise.allSettled(checks)) if (check.status === 'rejected') throw check.reason;
}
