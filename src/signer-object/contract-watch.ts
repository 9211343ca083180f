import type { Agreed } from '../chain/agreement.ts';
import {
  CIVIC_ACCOUNTS,
  type CodeStanding,
  type ContractControl,
  type ControlQuestion,
  type ControlReader,
  codeStanding,
  openControlReader,
} from '../chain/ethereum/contract-control.ts';
import { pairUp } from '../chain/port.ts';
import type { Config } from '../config/config.ts';
import { type EnabledEthereum, type EnabledNetwork, signersOn } from '../config/signers.ts';
import type { Milliseconds } from '../lib/brand.ts';
import type { Hex } from '../lib/hex.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/time.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { log, logFault } from '../log/log.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { Step } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';

const KEY = 'contracts';
/** The interval for a network with one key. With more keys, each of their signers waits longer. */
const CHECK_MS = HOUR_MS;
/** How soon an unanswered or disputed check is repeated, and the longest time that one takes. */
const RETRY_MS = 5 * MINUTE_MS;
/** How long the signer watches a contract after its last step in it. */
const UNUSED_MS = DAY_MS;
/** How long other work waits for a check. A slower check continues, and its result counts later. */
const CHECK_WAIT_MAX_MS = 3 * SECOND_MS;
/** How soon the alarm fires while steps wait: a deployment may have accepted the code. */
export const ACCEPTANCE_CHECK_MS = MINUTE_MS;

/** A contract as the signer last saw it. */
interface Seen {
  readonly control: ContractControl;
  /** Whether two endpoints showed it. */
  readonly isConfirmed: boolean;
  readonly checkedAt: Milliseconds;
  /** The last check before which the signer had a step in it. */
  readonly usedAt: Milliseconds;
  /** Number of changes since the signer first saw the contract. */
  readonly changes: number;
  readonly changedAt: Milliseconds | null;
  /** The unknown code that two endpoints showed. Steps wait until the operator accepts it, or two endpoints show known code. */
  readonly suspectHash: Hex | null;
  /** Whether steps may wait because of it, as of the last check. */
  readonly isHolding: boolean;
}

/** The steps of the signer, as far as a watch concerns them. */
interface HeldSteps {
  isAwaitedCode(contract: string): boolean;
  endCodeWaits(now: Milliseconds): void;
  commit<T>(work: () => T): T;
}

/** By contract. */
type Stored = Readonly<Record<Hex, Seen>>;

/** A contract of a signer, for the operator. Times are in Unix seconds. */
export interface ContractStatus {
  readonly contract: string;
  readonly code: CodeStanding;
  readonly codeHash: string | null;
  readonly implementation: string | null;
  readonly superAdmins: readonly string[];
  readonly forwarders: readonly string[];
  /** Whether two endpoints showed it. */
  readonly confirmed: boolean;
  /** Whether steps that give access wait because of the code. */
  readonly holdsSteps: boolean;
  readonly changes: number;
  readonly changedAt: number | null;
  readonly checkedAt: number;
}

/**
 * Watches the contracts of a signer. It stores what it saw last, so that a restart checks nothing again and a change between
 * two runs of the object is found. A node that does not answer changes nothing.
 */
export class ContractWatch {
  readonly #kv: DurableObjectStorage['kv'];
  readonly #signer: SignerName;
  readonly #steps: HeldSteps;
  readonly #network: EnabledEthereum['network'];
  readonly #accounts: readonly Hex[];
  readonly #intervalMs: Milliseconds;
  readonly #read: ControlReader;
  #seen: ReadonlyMap<Hex, Seen>;
  /** The contracts of the steps that this run of the object has had. */
  readonly #met = new Set<Hex>();
  /** The check that runs. */
  #running: Promise<void> | undefined;
  /** Contracts whose last check has shown nothing certain, with the time (ms) of the next one. */
  readonly #retryAt = new Map<Hex, Milliseconds>();

  /** @param accounts The accounts whose power over the contract is watched. */
  constructor(
    { storage, signer, steps, network }: Subject,
    accounts: readonly Hex[],
    intervalMs: Milliseconds,
    read: ControlReader,
  ) {
    this.#kv = storage.kv;
    this.#signer = signer;
    this.#steps = steps;
    this.#network = network;
    this.#accounts = accounts;
    this.#intervalMs = intervalMs;
    this.#read = read;
    this.#seen = new Map(Object.entries(storage.kv.get<Stored>(KEY) ?? {}) as [Hex, Seen][]);
  }

  /** Whether the code of its contract allows the step. Steps that take access away are always allowed. */
  allows(step: Step): boolean {
    return STEP_KINDS[step.kind].takesAccessAway || !this.#holds(this.#seen.get(contractOf(step)));
  }

  /** Whether steps may wait because of the code of a contract. */
  get isHolding(): boolean {
    return [...this.#seen.values()].some((seen) => this.#holds(seen));
  }

  /** Returns when the signer has to check again (ms). A check that runs is given time first. */
  nextCheck(now: Milliseconds): Milliseconds {
    return this.#running === undefined ? this.#nextDue() : Math.max(this.#nextDue(), now + RETRY_MS);
  }

  #nextDue(): Milliseconds {
    return Math.min(...this.#contracts().map((each) => this.#dueAt(each)));
  }

  /** Checks the contracts that the signer has never seen, before it signs a step in them. From then on it watches them. */
  async checkNew(steps: readonly Step[], now: Milliseconds): Promise<void> {
    const contracts = steps.map(contractOf);
    for (const contract of contracts) this.#met.add(contract);
    if (!contracts.every((each) => this.#seen.has(each))) await this.check(now);
  }

  /** Checks all contracts at once, because a log says that one of them has other code. */
  async checkAll(now: Milliseconds): Promise<void> {
    await this.#running;
    await withTimeout(CHECK_WAIT_MAX_MS, this.#run(this.#contracts(), now), undefined);
  }

  /** Checks the contracts that are due, after the check that may already run. */
  async check(now: Milliseconds): Promise<void> {
    this.#endWaits(now);
    await withTimeout(CHECK_WAIT_MAX_MS, this.#runDue(now), undefined);
  }

  async #runDue(now: Milliseconds): Promise<void> {
    await this.#running;
    if (this.#nextDue() > now) return;
    this.#forgetUnused(now);
    const due = this.#contracts().filter((each) => this.#dueAt(each) <= now);
    if (due.length > 0) await this.#run(due, now);
  }

  #run(contracts: readonly Hex[], now: Milliseconds): Promise<void> {
    this.#running ??= this.#check(contracts, now).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  statuses(): ContractStatus[] {
    return [...this.#seen].map(([contract, seen]) => ({
      contract,
      code: codeStanding(this.#network, seen.control.codeHash),
      ...seen.control,
      confirmed: seen.isConfirmed,
      holdsSteps: this.#holds(seen),
      changes: seen.changes,
      changedAt: seen.changedAt === null ? null : secondsOf(seen.changedAt),
      checkedAt: secondsOf(seen.checkedAt),
    }));
  }

  /** Returns the contract of the network, and those of the steps. */
  #contracts(): readonly Hex[] {
    return [...new Set([this.#network.gateway, ...this.#seen.keys(), ...this.#met])];
  }

  #dueAt(contract: Hex): Milliseconds {
    const seen = this.#seen.get(contract);
    return Math.max(this.#retryAt.get(contract) ?? 0, seen === undefined ? 0 : seen.checkedAt + this.#intervalMs);
  }

  #holds(seen: Seen | undefined): boolean {
    return seen?.suspectHash != null && codeStanding(this.#network, seen.suspectHash) === 'unknown';
  }

  async #check(contracts: readonly Hex[], now: Milliseconds): Promise<void> {
    for (const contract of contracts) this.#retryAt.set(contract, now + RETRY_MS);
    try {
      const readings = await this.#read(contracts.map((contract) => this.#questionAbout(contract)));
      for (const [contract, reading] of pairUp(contracts, readings))
        if (this.#record(contract, reading, now)) this.#retryAt.delete(contract);
    } catch (fault) {
      logFault('signer.contract_unread', fault, { signer: this.#signer });
    }
  }

  /** Forgets contracts that only an earlier configuration or earlier passes had. Steps that wait keep theirs. */
  #forgetUnused(now: Milliseconds): void {
    const isUnused = ([contract, { usedAt }]: [Hex, Seen]) =>
      contract !== this.#network.gateway &&
      !this.#met.has(contract) &&
      now - usedAt > UNUSED_MS &&
      !this.#steps.isAwaitedCode(contract);
    const unused = [...this.#seen].filter(isUnused);
    if (unused.length === 0) return;
    const all = new Map(this.#seen);
    for (const [contract] of unused) all.delete(contract);
    this.#kv.put<Stored>(KEY, Object.fromEntries(all));
    this.#seen = all;
  }

  #questionAbout(contract: Hex): ControlQuestion {
    const { implementation } = this.#seen.get(contract)?.control ?? {};
    return { contract, accounts: this.#accounts, implementation };
  }

  /** Stores what the endpoints show of a contract. Returns false if they show nothing certain. */
  #record(contract: Hex, reading: Agreed<ContractControl>, now: Milliseconds): boolean {
    const before = this.#seen.get(contract);
    const facts = { signer: this.#signer, contract };
    if (reading.type === 'unanswered') {
      logFault('signer.contract_unread', 'the nodes do not answer', facts);
      return false;
    }
    if (reading.type === 'disputed') {
      logFault(
        'signer.contract_disputed',
        'the endpoints disagree about the code or the control of the contract',
        facts,
      );
      return false;
    }
    const { value: control, isConfirmed } = reading;
    const isChanged = before !== undefined && JSON.stringify(control) !== JSON.stringify(before.control);
    const isUnknown = codeStanding(this.#network, control.codeHash) === 'unknown';
    const suspectHash = isConfirmed ? (isUnknown ? control.codeHash : null) : (before?.suspectHash ?? null);
    this.#store(
      contract,
      {
        control,
        isConfirmed,
        checkedAt: now,
        usedAt: this.#met.has(contract) ? now : (before?.usedAt ?? now),
        changes: (before?.changes ?? 0) + Number(isChanged),
        changedAt: isChanged ? now : (before?.changedAt ?? null),
        suspectHash,
        isHolding: before?.isHolding ?? false,
      },
      now,
    );
    if (isChanged)
      logFault('signer.contract_changed', 'the contract has changed hands or code', {
        ...facts,
        confirmed: isConfirmed,
        before: fieldsOf(before.control),
        after: fieldsOf(control),
      });
    if (isUnknown)
      logFault('signer.contract_code_unknown', 'the code of the contract is unknown', {
        ...facts,
        confirmed: isConfirmed,
        code_hash: control.codeHash,
      });
    return true;
  }

  /** Makes the steps due that waited for code that is known by now, for example because a deployment has accepted it. */
  #endWaits(now: Milliseconds): void {
    for (const [contract, seen] of this.#seen)
      if (seen.isHolding && !this.#holds(seen)) this.#store(contract, seen, now);
  }

  /** Stores what was seen, and ends the waits in the same commit if the contract no longer holds steps. */
  #store(contract: Hex, seen: Seen, now: Milliseconds): void {
    const isHolding = this.#holds(seen);
    const all = new Map(this.#seen).set(contract, { ...seen, isHolding });
    this.#steps.commit(() => {
      this.#kv.put<Stored>(KEY, Object.fromEntries(all));
      if (seen.isHolding && !isHolding) this.#steps.endCodeWaits(now);
    });
    this.#seen = all;
    if (seen.isHolding && !isHolding) log('signer.contract_code_known', { signer: this.#signer, contract });
  }
}

interface Subject {
  readonly storage: DurableObjectStorage;
  readonly signer: SignerName;
  readonly steps: HeldSteps;
  readonly network: EnabledEthereum['network'];
}

/** Returns the watch of a signer; undefined on Solana, whose program has another owner, and for a key that signs nothing. */
export function openContractWatch(
  storage: DurableObjectStorage,
  signer: SignerName,
  steps: HeldSteps,
  config: Config,
  enabled: EnabledNetwork,
): ContractWatch | undefined {
  if (enabled.chain !== 'ethereum' || enabled.gatekeeper.compromised) return undefined;
  const { network, endpoints } = enabled;
  const keys = signersOn(config, network).filter(({ gatekeeper }) => !gatekeeper.compromised);
  const accounts = [...CIVIC_ACCOUNTS, ...config.gatekeepers.ethereum.map(({ address }) => address as Hex)];
  return new ContractWatch(
    { storage, signer, steps, network },
    accounts,
    CHECK_MS * keys.length,
    openControlReader(network, endpoints),
  );
}

const contractOf = ({ contract }: Step) => contract as Hex;
const secondsOf = (ms: Milliseconds) => Math.floor(ms / SECOND_MS);

const fieldsOf = ({ codeHash, implementation, superAdmins, forwarders }: ContractControl) => ({
  code_hash: codeHash,
  implementation,
  super_admins: superAdmins,
  forwarders,
});
