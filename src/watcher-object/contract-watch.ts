import type { Agreed } from '../chain/agreement.ts';
import {
  CIVIC_ACCOUNTS,
  type ContractControl,
  codeStanding,
  type SeenContract,
  type SeenContracts,
} from '../chain/ethereum/contract-control.ts';
import { pairUp } from '../chain/port.ts';
import type { Hex } from '../lib/bytes.ts';
import type { Milliseconds } from '../lib/units.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../lib/units.ts';
import { within } from '../lib/with-timeout.ts';
import { logFault } from '../log/log.ts';
import { reachObject } from '../message/call-object.ts';
import type { EthereumNetwork } from '../network/network.ts';
import { parseSignerName } from '../network/network.ts';
import { contractsOf, type Follower } from './follow-chain.ts';
import type { WatchedNetwork } from './watched-network.ts';

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
