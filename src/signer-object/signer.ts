import { openChain } from '../chain/open-chain.ts';
import { type BroadcastResult, type ChainPort, KmsFault, type Pairs } from '../chain/port.ts';
import { openSandboxChain } from '../chain/sandbox/sandbox-chain.ts';
import { configOf } from '../config/parse-config.ts';
import {
  type EmergencyLists,
  type EnabledNetwork,
  emergencyListsIn,
  findSigner,
  findSimulation,
} from '../config/signers.ts';
import { FreshValue } from '../lib/fresh-value.ts';
import { type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { log, logFault } from '../log/log.ts';
import { type Network, parseSignerName, type SignerName } from '../network/network.ts';
import type { Step, StepStatus } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';
import { describeReason, isKmsCode, type Reason } from '../pass/wait-reasons.ts';
import { openStore } from '../store/store.ts';
import { ContractCodes } from './contract-codes.ts';
import { SIGNER, type Wait, Waits } from './lanes.ts';
import { Spending } from './spending.ts';
import { StepTable } from './step-table.ts';

/** A node that is only late shows a transaction within this time. */
export const WITHHELD_AFTER_MS = 15 * SECOND_MS;
/** The last list of the database. */
const SUSPENDED = 'suspendedClients';
/** That list with the emergency list, when the steps of all other clients were last made due. */
const EFFECTIVE = 'effectiveSuspensions';
/** A run takes seconds, so the signer signs a step with a list that is at most a minute old. */
const LIST_FRESH_MS = 30 * SECOND_MS;
const LIST_TIMEOUT_MS = 2 * SECOND_MS;
/** How soon the list is read again after a failure. */
const LIST_RETRY_MS = 5 * SECOND_MS;
const AGES = { freshMs: LIST_FRESH_MS, pauseMs: LIST_RETRY_MS };
/** The newest emergency lists that a call has brought. */
const EMERGENCY = 'emergencyLists';

/** The parts of a signer object, as its functions receive them. */
export interface Signer {
  /** Name of the signer object, for logs. */
  readonly name: SignerName;
  readonly storage: DurableObjectStorage;
  readonly network: Network;
  readonly chain: ChainPort;
  /** Whether its key is compromised. Then it only tracks and rebroadcasts its signed transactions, and signs nothing. */
  readonly isCompromised?: boolean | undefined;
  /**
   * Whether it keeps its waiting steps although its key is compromised, because its variables and newer lists of a call disagree about the
   * key. The pass objects may have the other ones, and would choose the same key again.
   */
  readonly holdsSteps?: boolean;
  readonly waits: Waits;
  readonly spending: Spending;
  readonly steps: StepTable;
  readonly suspended: SuspendedClients;
  /** Undefined on Solana, whose program has another owner, and in a sandbox. */
  readonly contracts?: ContractCodes | undefined;
  /** Steps that the next batch ends if they are unsigned, with the status that they get. In memory only. */
  readonly withdrawals: Map<string, StepStatus>;
  /** Answers about signed steps that the nodes withhold, by id of the step; under `SIGNER`, about all of them. In memory only. */
  readonly withheld: Map<string, Withheld>;
}

/** Something that the nodes do not show of a signed step. */
interface Withheld {
  /** Names the call. */
  readonly why: string;
  readonly since: Milliseconds;
  readonly isLogged?: boolean;
}

/** Returns the in-memory parts of a signer. A restart creates new ones. */
export function signerMemory(
  storage: DurableObjectStorage,
  name: SignerName,
  network: Network,
  readSuspended: () => Promise<readonly string[]>,
  listedClients: () => readonly string[] = () => [],
): Pick<Signer, 'waits' | 'spending' | 'steps' | 'suspended' | 'withdrawals' | 'withheld'> {
  const tables = tablesOf(storage, name, network);
  const suspended = new SuspendedClients(storage, tables.steps, name, readSuspended, listedClients);
  return { ...tables, suspended, withdrawals: new Map(), withheld: new Map() };
}

/** Returns the parts of a signer that is not configured: it can end steps, and signs nothing. */
export function closedSigner(
  name: SignerName,
  storage: DurableObjectStorage,
): Pick<Signer, 'storage' | 'waits' | 'steps' | 'withdrawals'> {
  const [chain, network] = name.split('/') as [Network['chain'], string];
  const tables = tablesOf(storage, name, { chain, network, dailyCeiling: 0, dailyLaneCeiling: 0 });
  return { storage, ...tables, withdrawals: new Map() };
}

function tablesOf(
  storage: DurableObjectStorage,
  name: SignerName,
  network: Pick<Network, 'chain' | 'network' | 'dailyCeiling' | 'dailyLaneCeiling'>,
): Pick<Signer, 'waits' | 'spending' | 'steps'> {
  const waits = new Waits(storage.sql);
  const spending = new Spending(storage.sql, name, network, waits);
  return { waits, spending, steps: new StepTable(storage, network, spending) };
}

/** Returns the parts of the signer object with that name; undefined if the configuration no longer has its network or key. */
export function openSigner(
  name: SignerName,
  storage: DurableObjectStorage,
  env: Env,
  lists = new ObeyedLists(storage, env),
): Signer | undefined {
  try {
    const config = configOf(env);
    const simulated = findSimulation(config, name);
    const found = findSigner(config, name);
    const enabled = found && stoppedBy(lists, found);
    const network = simulated ?? enabled?.network;
    if (network === undefined)
      throw new Error('its network or key is not configured: its steps wait until the configuration has both');
    const readSuspended = () => openStore(env).findSuspendedClients();
    const memory = signerMemory(storage, name, network, readSuspended, () => lists.suspendedClients);
    const ask = (asked: readonly string[]) => env.WATCHERS.getByName(network.network).contractsSeen(asked);
    const parts = { name, storage, steps: memory.steps, hasOneEndpoint: enabled?.endpoints.length === 1 };
    const contracts =
      enabled?.chain === 'ethereum' ? new ContractCodes({ ...parts, network: enabled.network }, ask) : undefined;
    const derivesTokenIds = (contract: string) => contracts?.derivesTokenIds(contract) === true;
    return {
      name,
      storage,
      network,
      chain: enabled
        ? openChain(enabled, config, derivesTokenIds)
        : openSandboxChain(network, parseSignerName(name).address, env),
      get isCompromised() {
        return enabled?.gatekeeper.compromised;
      },
      get holdsSteps() {
        if (found === undefined) return false;
        const { compromised = false, address } = found.gatekeeper;
        return compromised !== lists.stopsKey(address);
      },
      ...memory,
      contracts,
    };
  } catch (fault) {
    logFault('signer.not_configured', fault, { signer: name });
    return undefined;
  }
}

/** Returns the network with a key that is compromised from the moment on when the emergency lists name it. */
function stoppedBy(lists: ObeyedLists, enabled: EnabledNetwork): EnabledNetwork {
  const { gatekeeper } = enabled;
  const stoppable = {
    ...gatekeeper,
    get compromised() {
      return gatekeeper.compromised === true || lists.stopsKey(gatekeeper.address);
    },
  };
  return { ...enabled, gatekeeper: stoppable } as EnabledNetwork;
}

/** Returns why the whole signer sends nothing at `now`; undefined if it may send. */
export function pauseOf({ waits }: Pick<Signer, 'waits'>, now: Milliseconds): Wait | undefined {
  return waits.blocking(SIGNER, now);
}

/** Pauses the signer, longer each time in a row. No step fails, and the signer tries again by itself. */
export function pauseSigner({ name, waits }: Signer, reason: Reason, now: Milliseconds = Date.now()): void {
  const { code, until, tries } = waits.begin(SIGNER, reason, now);
  logFault('signer.paused', describeReason(reason), { signer: name, code, times: tries, pause_ms: until - now });
}

/** Pauses the signer if a KMS did not sign one of these. */
export function pauseOnKmsFault(signer: Signer, signed: Pairs<unknown, unknown>, now: Milliseconds): void {
  const fault = signed.map(([, outcome]) => outcome).find((outcome) => outcome instanceof KmsFault);
  if (fault !== undefined) pauseSigner(signer, { code: fault.code, detail: fault.message }, now);
}

/** Whether the signer waits for a KMS at `now`. */
export function waitsForKms({ waits }: Signer, now: Milliseconds): boolean {
  return waits.active(SIGNER, now).some(({ code }) => isKmsCode(code));
}

/** Ends the pause, because the nodes answered, or one of them accepted a transaction. */
export function resumeSigner({ waits }: Pick<Signer, 'waits'>): void {
  waits.end(SIGNER, 'success');
}

/** Logs refused transactions, and pauses the signer if its account cannot pay. Returns whether it can pay. */
export function applyFailures(signer: Signer, results: Pairs<unknown, BroadcastResult>): boolean {
  const failed = results.flatMap(([, result]) => (result.type === 'not-now' ? [result] : []));
  const unpaid = failed.find(({ code }) => code === 'no-funds');
  const refused = failed.filter(({ code }) => code !== 'no-funds');
  if (refused[0] !== undefined)
    log('signer.broadcast_refused', {
      signer: signer.name,
      transactions: refused.length,
      reason: describeReason(refused[0]),
    });
  if (unpaid !== undefined) pauseSigner(signer, unpaid);
  return unpaid === undefined;
}

/**
 * The OAuth clients whose steps the signer does not sign, except those that take access away. While the list cannot be read, the
 * last one applies, even after the object restarts. Before the first list, the steps of all clients wait, with the same
 * exceptions.
 */
export class SuspendedClients {
  readonly #kv: DurableObjectStorage['kv'];
  readonly #steps: StepTable;
  readonly #signer: SignerName;
  readonly #read: () => Promise<readonly string[]>;
  /** Returns the clients that the emergency lists suspend, also while the database does not answer. */
  readonly #listed: () => readonly string[];
  #list = new FreshValue<readonly string[]>(AGES);
  #clients: readonly string[] | undefined;
  #effective: readonly string[] | undefined;

  constructor(
    storage: DurableObjectStorage,
    steps: StepTable,
    signer: SignerName,
    read: () => Promise<readonly string[]>,
    listed: () => readonly string[],
  ) {
    this.#kv = storage.kv;
    this.#steps = steps;
    this.#signer = signer;
    this.#read = read;
    this.#listed = listed;
    this.#clients = storage.kv.get<readonly string[]>(SUSPENDED);
    this.#effective = storage.kv.get<readonly string[]>(EFFECTIVE) ?? this.#clients;
  }

  /** Whether no client is known to be suspended. */
  get isEmpty(): boolean {
    return this.#clients?.length === 0 && this.#listed().length === 0;
  }

  /** Reads the list again, because it has changed. An earlier reading that is under way no longer counts. */
  reread(now: Milliseconds): Promise<void> {
    this.#list = new FreshValue(AGES);
    return this.refresh(now);
  }

  /** Reads the list if it is not fresh, and makes the steps of resumed clients due. */
  async refresh(now: Milliseconds): Promise<void> {
    const list = this.#list;
    const read = async () => (await within(LIST_TIMEOUT_MS, this.#read(), 'the database')).toSorted();
    const before = list.startedAt;
    const logUnread = (fault: unknown) => logFault('signer.suspensions_unread', fault, { signer: this.#signer });
    try {
      const clients = await list.get(read, now);
      if (list === this.#list && !isSame(clients, this.#clients)) {
        this.#kv.put(SUSPENDED, clients);
        this.#clients = clients;
      }
    } catch (fault) {
      if (list.startedAt !== before) logUnread(fault);
    }
    try {
      this.resume(now);
    } catch (fault) {
      logUnread(fault);
    }
  }

  /** Makes the steps of clients due that are no longer suspended. It needs no database: the emergency list may have changed. */
  resume(now: Milliseconds): void {
    const all = [...new Set([...(this.#clients ?? []), ...this.#listed()])].toSorted();
    if (isSame(all, this.#effective)) return;
    this.#steps.commit(() => {
      this.#kv.put(EFFECTIVE, all);
      this.#steps.endSuspensions(all, now);
    });
    this.#effective = all;
    log('signer.suspensions_changed', { signer: this.#signer, suspended_clients: all.length });
  }

  /** Whether the step may be signed; 'unknown' if no list was ever read. */
  allows({ kind, client }: Pick<Step, 'kind' | 'client'>): boolean | 'unknown' {
    if (client === undefined || STEP_KINDS[kind].takesAccessAway) return true;
    if (this.#listed().includes(client)) return false;
    return this.#clients === undefined ? 'unknown' : !this.#clients.includes(client);
  }
}

const isSame = (one: readonly string[], other: readonly string[] | undefined) =>
  JSON.stringify(one) === JSON.stringify(other);

/**
 * The emergency lists that a signer obeys: the lists in its variables, or newer ones that a call has brought. The platform may leave a running
 * object its old variables for minutes, in which a leaked key must not sign. Newer lists stay stored, so that they also count after a
 * restart with older variables.
 */
export class ObeyedLists {
  readonly #kv: DurableObjectStorage['kv'];
  readonly #own: EmergencyLists;
  #lists: EmergencyLists;

  /** @param env The variables with which the object started. */
  constructor({ kv }: DurableObjectStorage, env: object) {
    this.#kv = kv;
    this.#own = emergencyListsIn(env);
    const stored = kv.get<EmergencyLists>(EMERGENCY);
    this.#lists = stored !== undefined && stored.number > this.#own.number ? stored : this.#own;
  }

  get number(): number {
    return this.#lists.number;
  }

  /** The clients of both lists: a number from a clock that is behind must not end a suspension that the variables have. */
  get suspendedClients(): readonly string[] {
    return [...this.#own.suspendedClients, ...this.#lists.suspendedClients];
  }

  stopsKey(address: string): boolean {
    return this.#lists.compromisedGatekeepers.includes(address);
  }

  /** Obeys these lists from now on if they are newer. Returns whether they are. */
  learn(lists: EmergencyLists): boolean {
    if (lists.number <= this.number) return false;
    this.#kv.put<EmergencyLists>(EMERGENCY, lists);
    this.#lists = lists;
    return true;
  }
}
