import type { Agreed } from '../chain/agreement.ts';
import {
  type ContractControl,
  codeStanding,
  type SeenContract,
  type SeenContracts,
} from '../chain/ethereum/contract-control.ts';
import { CIVIC_ACCOUNTS } from '../chain/ethereum/read-control.ts';
import { pairUp } from '../chain/port.ts';
import type { Role, RoleHolder } from '../chain/watch-port.ts';
import type { Hex } from '../lib/bytes.ts';
import { HOUR_MS, MINUTE_MS, type Milliseconds, nowSeconds, SECOND_MS } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { log, logFault } from '../log/log.ts';
import { reachObject } from '../message/call-object.ts';
import { contractOf, type EthereumNetwork, parseSignerName } from '../network/network.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Store } from '../store/store.ts';
import type { ListedGatekeeper } from '../store/validity.ts';
import { contractsOf, type Follower } from './follow-chain.ts';
import type { WaitingChange } from './waiting-changes.ts';
import { isInContract, isOwnKey, type WatchedNetwork } from './watched-network.ts';
import type { WatcherStore } from './watcher-store.ts';

const KEY = 'contracts';
const CHECK_MS = HOUR_MS;
/** How soon the contracts are checked again if the endpoints showed nothing certain of one. */
const RETRY_MS = 5 * MINUTE_MS;
const TELL_TIMEOUT_MS = 3 * SECOND_MS;

interface Stored {
  readonly seen: SeenContracts;
  readonly nextCheck: Milliseconds;
  /** Whether all signers have stored the code that two endpoints showed last. */
  readonly isTold: boolean;
}

/**
 * Watches the code and the control of the contracts of one network. It stores what it saw last, so that a restart checks nothing again. A
 * node that does not answer changes nothing.
 */
export class ContractWatch {
  readonly #kv: DurableObjectStorage['kv'];
  readonly #parts: Pick<Follower, 'database' | 'signers'>;
  #stored: Stored;
  /** The last check. The next one begins when it has ended. */
  #checked: Promise<void> = Promise.resolve();

  constructor(kv: DurableObjectStorage['kv'], parts: Pick<Follower, 'database' | 'signers'>) {
    this.#kv = kv;
    this.#parts = parts;
    this.#stored = kv.get<Stored>(KEY) ?? { seen: {}, nextCheck: 0, isTold: true };
  }

  /** Checks the contracts if they are due, or at once because a log says that one has other code. It tells the signers of other code. */
  async run(watched: WatchedNetwork, isUrgent = false): Promise<void> {
    await this.#checkIf(() => isUrgent || this.#stored.nextCheck <= Date.now(), watched);
    const { seen, isTold } = this.#stored;
    if (isTold) return;
    const answers = watched.signers.map((name) => {
      const call = () =>
        within(TELL_TIMEOUT_MS, this.#parts.signers.getByName(name).learnContracts(seen), 'the signer');
      return reachObject(call, 'signer', name);
    });
    const isKnown = !(await Promise.all(answers)).includes(undefined);
    // Another check may have shown other code meanwhile. The next interval tells it, and tells signers that did not answer again.
    if (isKnown && seen === this.#stored.seen) this.#store({ ...this.#stored, isTold: true });
  }

  /** Returns all that it has seen, with these contracts. It tries once to read new ones. */
  async answer(watched: WatchedNetwork, contracts: readonly string[]): Promise<SeenContracts> {
    const isSeen = (each: string) => this.#stored.seen[each] !== undefined;
    // A running check may wait for an endpoint.
    if (contracts.every(isSeen)) return this.#stored.seen;
    await this.#checkIf(() => !contracts.every(isSeen), watched, contracts);
    return this.#stored.seen;
  }

  #checkIf(isDue: () => boolean, watched: WatchedNetwork, asked: readonly string[] = []): Promise<void> {
    const checked = this.#checked.then(() => (isDue() ? this.#check(watched, asked) : undefined));
    this.#checked = checked.catch(() => {});
    return checked;
  }

  /** Forgets the contracts that no gatekeeper network has any longer. */
  async #check(watched: WatchedNetwork, asked: readonly string[]): Promise<void> {
    const { readControls, network, signers } = watched;
    if (network.chain === 'solana' || readControls === undefined) return;
    const { seen } = this.#stored;
    const listed = await contractsOf(this.#parts.database, watched, Object.keys(seen));
    const contracts = [...new Set([...listed, ...asked])];
    const accounts = [...CIVIC_ACCOUNTS, ...signers.map((name) => parseSignerName(name).address as Hex)];
    const questions = contracts.map((each) => {
      return { contract: each as Hex, accounts, implementation: seen[each]?.implementation };
    });
    const readings = pairUp(contracts, await readControls(questions));
    const found = readings.map(([contract, reading]) => {
      return [contract, see(network, contract, reading, seen[contract])] as const;
    });
    const isCertain = readings.every(([, { type }]) => type === 'read');
    const isNews = found.some(([contract, { shownHash }]) => shownHash !== seen[contract]?.shownHash);
    this.#store({
      seen: Object.fromEntries(found),
      nextCheck: Date.now() + (isCertain ? CHECK_MS : RETRY_MS),
      isTold: !isNews && this.#stored.isTold,
    });
  }

  #store(stored: Stored): void {
    this.#kv.put<Stored>(KEY, stored);
    this.#stored = stored;
  }
}

/** A contract of which the endpoints have shown nothing. */
const UNREAD: SeenContract = {
  ...{ codeHash: null, implementation: null, superAdmins: [], forwarders: [] },
  ...{ confirmed: false, checkedAt: 0, changes: 0, changedAt: null },
};

/** Returns a contract as the endpoints show it, or else as it was seen before. Logs what the operator must know. */
function see(
  network: EthereumNetwork,
  contract: string,
  reading: Agreed<ContractControl>,
  seen: SeenContract = UNREAD,
): SeenContract {
  const facts = { network: network.network, contract };
  if (reading.type !== 'read') {
    if (reading.type === 'unanswered') logFault('watcher.contract_unread', 'the nodes do not answer', facts);
    else logFault('watcher.contract_disputed', 'the endpoints disagree about its code or its control', facts);
    return seen;
  }
  const { value: control, isConfirmed: confirmed } = reading;
  const [before, after] = [fieldsOf(seen), fieldsOf(control)];
  const isChanged = seen.checkedAt > 0 && JSON.stringify(after) !== JSON.stringify(before);
  const why = 'the contract has changed hands or code';
  if (isChanged) logFault('watcher.contract_changed', why, { ...facts, confirmed, before, after });
  if (codeStanding(network, control.codeHash) === 'unknown') {
    const shown = { ...facts, confirmed, code_hash: control.codeHash };
    logFault('watcher.contract_code_unknown', 'the code of the contract is unknown', shown);
  }
  const now = Date.now();
  return {
    ...control,
    confirmed,
    // A signer takes the later one of two words.
    checkedAt: Math.max(now, seen.checkedAt),
    changes: seen.changes + Number(isChanged),
    changedAt: isChanged ? now : seen.changedAt,
    shownHash: confirmed ? control.codeHash : seen.shownHash,
  };
}

const fieldsOf = ({ codeHash, implementation, superAdmins, forwarders }: ContractControl) => {
  return { code_hash: codeHash, implementation, super_admins: superAdmins, forwarders };
};

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
