import type { Brand, UnixSeconds } from '../lib/units.ts';
import type { Chain, SignerName } from '../network/network.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import { type Rank, rankOf, type StepKind, type Task } from './step-kinds.ts';
import { isExpired } from './verdict.ts';
import type {
  Change,
  EventType,
  ExpiryEventType,
  FeedEvent,
  OnChainState,
  PassState,
  TransactionStatus,
  WantedState,
} from './vocabulary.ts';

/** Identifies a pass. The wallet is in its canonical form. */
export interface PassKey {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly chain: Chain;
  readonly network: string;
  readonly wallet: Wallet;
}

/** On-chain state of a wallet's gateway token. If a wallet has several, the one that `representativeToken` chooses. */
export interface OnChain {
  readonly state: OnChainState;
  /** Undefined: never. */
  readonly expiry?: UnixSeconds | undefined;
  /** On Solana: another gatekeeper issued it, and only that gatekeeper can freeze and unfreeze it. */
  readonly foreign?: true | undefined;
  /** Address of that other gatekeeper. */
  readonly issuer?: string | undefined;
  /** The block (Solana: slot) that showed it. */
  readonly asOf?: number | undefined;
  /** The block that burned the token of the known state, if this is that of a later token with the same id; 0: none; undefined: not read. */
  readonly burnedAt?: number | undefined;
}

/** A state with less access than the known one, which is not final yet. */
export interface NotedLoss extends OnChain {
  /** When two endpoints showed it first (Unix seconds). */
  readonly notedAt: UnixSeconds;
}

/** Whether the two differ in more than the block that showed them. */
export function differsOnChain(a: OnChain, b: OnChain): boolean {
  return a.state !== b.state || a.expiry !== b.expiry || a.foreign !== b.foreign;
}

/** Whether the token of the known state was burned since, so that the shown state is that of another one with the same id. */
export function isOfLaterToken(known: OnChain, { burnedAt = 0 }: OnChain): boolean {
  return hasValidToken(known) && burnedAt > (known.asOf ?? 0);
}

/** Whether the second state gives the wallet less access than the first: no token, a frozen one, or an earlier expiry. */
export function isLoss(known: OnChain, shown: OnChain): boolean {
  if (!hasValidToken(known)) return false;
  if (!hasValidToken(shown) || (known.state === 'ACTIVE' && shown.state === 'FROZEN')) return true;
  return shown.expiry !== undefined && (known.expiry === undefined || shown.expiry < known.expiry);
}

/** Whether the wallet holds a token that a dApp may accept, now or once it is unfrozen. */
export function hasValidToken({ state }: Pick<OnChain, 'state'>): boolean {
  return state === 'ACTIVE' || state === 'FROZEN';
}

export interface Transaction {
  /** Hash (Ethereum) or signature (Solana). */
  readonly identifier: string;
  readonly status: TransactionStatus;
}

export interface PassEvent {
  readonly eventType: EventType;
  readonly timestamp: UnixSeconds;
  readonly transaction?: Transaction;
  /** Why it failed. */
  readonly reason?: string;
  /** Id of the request that caused it; absent if none did. The audit trail says who sent the request, and why. */
  readonly requestId?: string;
  /** Present if no step of the pass made the change. `transaction` is then that of the others, if it is known. */
  readonly byOthers?: ByOthers;
}

/** A change by others. */
export interface ByOthers {
  /** Address of the gatekeeper that made it, if it is known. */
  readonly gatekeeper?: string;
}

/** A change by others in the logs of the chain. It says where an event comes from, and never that it is true. */
export interface Cause {
  readonly change: Change;
  readonly transaction: string;
  readonly gatekeeper?: string | undefined;
}

/** The wanted state of a pass. */
export interface Wanted {
  readonly state: WantedState;
  /** Undefined: never. It may differ from the requested one, because it follows changes by others and failed changes. */
  readonly expiry?: UnixSeconds | undefined;
}

/** Undefined: the request is unknown. */
export interface RequestIds {
  readonly state?: string | undefined;
  readonly expiry?: string | undefined;
}

/** The expiry that POST or PATCH requested last. */
interface RequestedExpiry {
  /** Undefined: never. */
  readonly expiry?: UnixSeconds | undefined;
  /** The partner gave none, so it follows from the partner's lifetime. A found token then keeps its own expiry. */
  readonly isDefault?: true | undefined;
}

/** A change of the state of a subject, which forbids some changes to its passes. */
export interface Hold {
  readonly state: WantedState;
  /** It rises with each change of the subject, so that a late one changes nothing. */
  readonly number: number;
  /** The freeze of the subject has frozen the pass, so the end of that freeze unfreezes it. */
  readonly froze?: true | undefined;
}

/** A pass: its wanted state, its on-chain state, and the one step between them. */
export interface Pass {
  /** UUIDv7. */
  readonly id: string;
  readonly key: PassKey;
  /** Name of the signer object that serves this pass. Chosen once; `reassignSigner` changes it if its key may not sign. */
  readonly signer: SignerName;
  /** Name of the database that has its row; chosen once. */
  /** Address of the contract that has its token, or on Solana of the program; chosen when the pass was created. */
  readonly contract: string;
  /** Grows with every change that the record shows. */
  readonly version: number;
  readonly wanted: Wanted;
  /** The partner's own name for the pass; undefined: none. */
  readonly reference?: string | undefined;
  /** The partner's own name for the person who has the wallet; undefined: none. */
  readonly subject?: string | undefined;
  /** The newest change of its subject's state that it has followed. */
  readonly hold?: Hold | undefined;
  /** When the newest of its expiries was requested, if it had a subject then. */
  readonly renewedAt?: UnixSeconds | undefined;
  readonly requested: RequestedExpiry;
  readonly onChain: OnChain;
  /** Address of the gatekeeper whose step issued its token; undefined: others did, or nobody. */
  readonly issuedBy?: string | undefined;
  /** The state that two endpoints showed last, before it was final, after others had taken access away. */
  readonly loss?: NotedLoss | undefined;
  /** OAuth client that requested the wanted state. */
  readonly client: string;
  /** Ids of the requests that the wanted state and the wanted expiry come from. */
  readonly requestIds?: RequestIds | undefined;
  /** Rank of its issuance; undefined: `SINGLE_ISSUANCE`. */
  readonly issuanceRank?: Rank | undefined;
  /** Whether the chain refused the issuance permanently. */
  readonly rejected: boolean;
  /**
   * The party that revoked the pass; set once REVOKED is reached.
   * - `partner`: final. Later tokens of the wallet do not change the pass, until a partner revokes them too. Only the end of a
   *   step `revoke` sets this, never the state that was known before.
   * - `others`: a later reading of the chain may change the pass again.
   */
  readonly revokedBy?: 'partner' | 'others' | undefined;
  /** The pinned step. No other step is derived until it ends. */
  readonly step?: PinnedStep | undefined;
  /** The newest steps that ended with a confirmed transaction, in order. Their blocks may still leave the chain. */
  readonly past?: readonly PastStep[] | undefined;
  /** Number of steps that were pinned so far. */
  readonly steps: number;
  readonly events: readonly PassEvent[];
  readonly feed: PassFeed;
  /** The newest expiries that its events have announced. */
  readonly announced?: readonly AnnouncedExpiry[] | undefined;
}

/** The part of a pass in the event feed. */
export interface PassFeed {
  /** Number of its `events` that became feed events or need not. */
  readonly examined: number;
  /** Number of its newest feed event; 0: none. */
  readonly last: number;
  /** The first events that the feed may lack, in order. */
  readonly pending: readonly FeedEvent[];
  /** Number of later events, which its object stores in rows of their own; undefined: there are no such rows. */
  readonly inRows?: number | undefined;
}

/** An expiry for which the record has an event. */
export interface AnnouncedExpiry {
  readonly eventType: ExpiryEventType;
  readonly expiry: UnixSeconds;
}

/** A step and its newest recorded revision. */
export interface StepRevision {
  readonly id: string;
  readonly revision: number;
}

export interface PinnedStep extends StepRevision, Task {
  /** Whether the signer has the step, or cannot add it for some time. The pass then need not submit it again soon. */
  readonly isSubmitted: boolean;
}

/** A step that ended with a confirmed transaction. */
export interface PastStep extends StepRevision, Task {
  readonly transaction: string;
  /** The known on-chain state before the step, and after it. */
  readonly before: OnChain;
  readonly after: OnChain;
  /** The signer that did the step, if the pass now has another one. */
  readonly signer?: SignerName;
  /** It gave a new expiry to a token that had expired. */
  readonly renews?: true | undefined;
  /** Its block has left the chain. Either a block includes its transaction again, or the step is given up. */
  readonly vanished?: true | undefined;
  /** Another token of the wallet still needed the same change. So the change has no effect on the pass without the next step. */
  readonly isPartial?: true | undefined;
}

/** A pass, and where the chain has its token. */
export interface PassQuestion {
  /** Its id. */
  readonly pass: string;
  readonly key: PassKey;
  readonly contract: string;
  readonly known: OnChain;
}

export const questionOf = ({ id: pass, key, contract, onChain: known }: Pass): PassQuestion => ({
  pass,
  key,
  contract,
  known,
});

/** Whether others have taken access away, as far as two endpoints show, and no final block shows it yet. */
export function hasPendingLoss({
  onChain,
  loss,
}: {
  readonly onChain: OnChain;
  readonly loss?: OnChain | undefined;
}): boolean {
  return loss !== undefined && (loss.asOf ?? 0) >= (onChain.asOf ?? 0) && isLoss(onChain, loss);
}

/** Whether a confirmed step is off the chain. No other step begins until it is back or given up. */
export function isReorged({ past = [] }: Pick<Pass, 'past'>): boolean {
  return past.some(({ vanished }) => vanished);
}

/** Returns the ids of the steps of the pass's current signer that are off the chain. An earlier signer announces its own. */
export function vanishedSteps({ signer: own, past = [] }: Pick<Pass, 'past' | 'signer'>): string[] {
  return past.filter(({ vanished, signer = own }) => vanished && signer === own).map(({ id }) => id);
}

/** Whether a new expiry made an expired token valid again. */
export function renews(before: OnChain, after: OnChain, now: UnixSeconds): boolean {
  return isExpired(before, now) && !isExpired(after, now);
}

/** A step that a pass waits for. */
export interface AwaitedStep {
  readonly id: string;
  readonly kind: StepKind;
  readonly rank: Rank;
}

/** Returns the step that the pass waits for: the pinned step, or a past one that has left the chain. */
export function awaitedStep({ step, past, issuanceRank }: Pass): AwaitedStep | undefined {
  const awaited = step ?? past?.find(({ vanished }) => vanished);
  return awaited && { id: awaited.id, kind: awaited.kind, rank: rankOf(awaited.kind, issuanceRank) };
}

/** Name of a pass object. */
export type PassName = Brand<string, 'PassName'>;

/** Returns the name of the pass object of that key. */
export function passName({ gatekeeperNetwork, chain, network, wallet }: PassKey): PassName {
  return [gatekeeperNetwork, chain, network, wallet].join('/') as PassName;
}

/** Returns the name of the object of a subject. */
export const subjectName = (gatekeeperNetwork: string, subject: string) => `${gatekeeperNetwork}/${subject}`;

/** Returns the public `state`. */
export function stateOf({ wanted, onChain, rejected }: Pass): PassState {
  if (rejected) return 'REJECTED';
  return wanted.state === 'ACTIVE' && onChain.state === 'NONE' ? 'REQUESTED' : wanted.state;
}
