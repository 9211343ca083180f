import {
  buildOf,
  type CodeStanding,
  codeStanding,
  type SeenContract,
  type SeenContracts,
} from '../chain/ethereum/contract-control.ts';
import { FreshValue } from '../lib/fresh-value.ts';
import { MINUTE_MS, type Milliseconds, SECOND_MS } from '../lib/units.ts';
import { LateAnswer, within } from '../lib/with-timeout.ts';
import { log } from '../log/log.ts';
import { reachObject } from '../message/call-object.ts';
import type { EthereumNetwork, SignerName } from '../network/network.ts';
import type { Step } from '../pass/step.ts';
import { STEP_KINDS } from '../pass/step-kinds.ts';

const KEY = 'contracts';
const ANSWER_TIMEOUT_MS = 3 * SECOND_MS;
/** The watcher tells of other code at once. */
const FRESH_MS = 5 * MINUTE_MS;
/** Minimum time between two questions about the same contracts. A batch waits for each. */
const PAUSE_MS = 5 * SECOND_MS;

/** A contract of the signer's network, for the operator. Times are in Unix seconds. */
export interface ContractStatus extends Omit<SeenContract, 'shownHash'> {
  readonly contract: string;
  readonly code: CodeStanding;
  /** Whether steps that give access wait because of the code. */
  readonly holdsSteps: boolean;
}

/** A contract as the watcher has told it. */
interface Known extends SeenContract {
  /** Since when steps may wait because the configuration does not know its code (ms). */
  readonly heldSince?: Milliseconds | undefined;
}

interface Parts {
  readonly name: SignerName;
  readonly storage: DurableObjectStorage;
  readonly steps: { commit<T>(work: () => T): T; endCodeWaits(now: Milliseconds): void };
  readonly network: EthereumNetwork;
  /** Whether the network has one endpoint, so that no second one can show the code. */
  readonly hasOneEndpoint?: boolean;
}

/**
 * The code of the contracts of a signer, by the word of the watcher of its network. Steps that give access wait while the configuration
 * does not know the code. If the watcher does not answer, its last word counts, and before the first word about a contract its steps wait.
 */
export class ContractCodes {
  readonly #parts: Parts;
  /** Returns what the watcher has seen, after it has tried to see these contracts. */
  readonly #ask: (contracts: readonly string[]) => Promise<SeenContracts>;
  #known: Readonly<Record<string, Known>>;
  #word = new FreshValue<void>({ freshMs: FRESH_MS, pauseMs: PAUSE_MS });
  /** The contracts in the last question. */
  #asked: readonly string[] = [];

  constructor(parts: Parts, ask: (contracts: readonly string[]) => Promise<SeenContracts>) {
    this.#parts = parts;
    this.#ask = ask;
    this.#known = parts.storage.kv.get<Readonly<Record<string, Known>>>(KEY) ?? {};
  }

  /** Returns why a step waits because of the code of its contract; undefined: it does not. One that takes access away never does. */
  reasonFor({ kind, contract }: Step): 'contract-code-unread' | 'contract-code-unknown' | undefined {
    if (STEP_KINDS[kind].takesAccessAway) return undefined;
    const known = this.#known[contract];
    if (known === undefined) return 'contract-code-unread';
    return this.#holds(known) ? 'contract-code-unknown' : undefined;
  }

  /** Whether two endpoints (or the only one) showed code of the contract that derives the ids of its tokens. False: it is unknown, or does not. */
  derivesTokenIds(contract: string): boolean {
    const { codeHash, shownHash } = this.#known[contract] ?? {};
    return buildOf(this.#parts.hasOneEndpoint ? codeHash : shownHash)?.derivesTokenIds === true;
  }

  /** Whether steps may wait because of the code of a contract. */
  get isHolding(): boolean {
    return Object.values(this.#known).some((known) => this.#holds(known));
  }

  /**
   * Asks the watcher if its word is not fresh, or if it has not answered about the contract of one of these steps. Steps that take access
   * away do not wait for that.
   */
  async refresh(now: Milliseconds, steps: readonly { readonly step: Step }[] = []): Promise<void> {
    if (steps.length > 0 && steps.every(({ step: { kind } }) => STEP_KINDS[kind].takesAccessAway)) return;
    const unread = new Set(
      steps.flatMap(({ step }) => (this.reasonFor(step) === 'contract-code-unread' ? step.contract : [])),
    );
    if ([...unread].some((each) => !this.#asked.includes(each)))
      this.#word = new FreshValue({ freshMs: FRESH_MS, pauseMs: PAUSE_MS });
    const ask = async () => {
      this.#asked = [...unread];
      const learn = async () => {
        this.learn(now, await within(ANSWER_TIMEOUT_MS, this.#ask([...unread]), 'the watcher'));
        return true;
      };
      // No answer is no word: the next run asks again.
      if (!(await reachObject(learn, 'watcher', this.#parts.network.network))) throw new LateAnswer('the watcher');
    };
    const word = unread.size > 0 ? this.#word.refresh(ask, now) : this.#word.get(ask, now);
    await word.catch(() => {});
  }

  /**
   * Stores the word of the watcher, and makes the steps due whose code is known by now, also because a deployment has accepted it. It
   * keeps the contracts that hold steps, whatever the watcher has forgotten.
   */
  learn(now: Milliseconds, seen: SeenContracts = this.#known): void {
    const before = this.#known;
    const held = Object.entries(before).filter(([, { heldSince }]) => heldSince !== undefined);
    const all = Object.entries<Known>({ ...Object.fromEntries(held), ...seen }).map(([contract, told]) => {
      const last = before[contract];
      // An earlier word may arrive after a later one.
      const newest = last !== undefined && last.checkedAt > told.checkedAt ? last : told;
      const known = { ...newest, shownHash: newest.shownHash === undefined ? last?.shownHash : newest.shownHash };
      return [contract, { ...known, heldSince: this.#holds(known) ? (last?.heldSince ?? now) : undefined }] as const;
    });
    const known = Object.fromEntries(all);
    if (JSON.stringify(known) === JSON.stringify(before)) return;
    const freed = held.flatMap(([contract]) => (known[contract]?.heldSince === undefined ? contract : []));
    const { name, storage, steps } = this.#parts;
    steps.commit(() => {
      storage.kv.put(KEY, known);
      if (freed.length > 0) steps.endCodeWaits(now);
    });
    this.#known = known;
    for (const contract of freed) log('signer.contract_code_known', { signer: name, contract });
  }

  /** Returns the contracts as it knows them. If that is not fresh, it begins to ask. */
  statuses(now: Milliseconds): ContractStatus[] {
    void this.refresh(now);
    const read = Object.entries(this.#known).filter(([, { checkedAt }]) => checkedAt > 0);
    return read.map(([contract, { shownHash, heldSince: _, ...known }]) => ({
      contract,
      code: codeStanding(this.#parts.network, known.codeHash),
      ...known,
      holdsSteps: this.#holds({ shownHash }),
      changedAt: known.changedAt === null ? null : secondsOf(known.changedAt),
      checkedAt: secondsOf(known.checkedAt),
    }));
  }

  #holds({ shownHash = null }: Pick<Known, 'shownHash'>): boolean {
    return codeStanding(this.#parts.network, shownHash) === 'unknown';
  }
}

const secondsOf = (ms: Milliseconds) => Math.floor(ms / SECOND_MS);
