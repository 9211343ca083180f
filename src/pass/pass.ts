import type { Brand, UnixSeconds } from '../lib/brand.ts';
import type { Chain } from '../network/network.ts';
import type { SignerName } from '../network/signer-name.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import { type Rank, rankOf } from './rank.ts';
import type { StepKind, Task } from './task.ts';
import type { EventType, OnChainState, PassState, TransactionStatus, WantedState } from './vocabulary.ts';

/** What makes a pass the one it is. The wallet is in its canonical form. */
export interface PassKey {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly chain: Chain;
  readonly network: string;
  readonly wallet: Wallet;
}

/** A gateway token as the chain holds it; where a wallet has several, the one that stands for all. */
export interface OnChain {
  readonly state: OnChainState;
  /** Undefined: never. */
  readonly expiry?: UnixSeconds | undefined;
  /** On Solana: another gatekeeper issued it, and only that one can freeze and unfreeze it. */
  readonly foreign?: true | undefined;
  /** Address of that other gatekeeper. */
  readonly issuer?: string | undefined;
  /** The block (Solana: slot) that showed it. */
  readonly asOf?: number | undefined;
}

/** Whether the two differ in more than the block that showed them. */
export function differsOnChain(a: OnChain, b: OnChain): boolean {
  return a.state !== b.state || a.expiry !== b.expiry || a.foreign !== b.foreign;
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
}

/** All that is known of a pass: what is wanted, what is on chain, and the one step between them. */
export interface Pass {
  /** UUIDv7. */
  readonly id: string;
  readonly key: PassKey;
  /**
   * Name of the signer object that serves this pass: chosen once, and kept while anything of the pass is on a chain, unless
   * its key is compromised.
   */
  readonly signer: SignerName;
  /** Name of the database that has its row; chosen once. None: that of the passes from before there were several. */
  readonly shard?: string | undefined;
  /** Grows with every change that shows in the record. */
  readonly version: number;
  readonly wanted: { readonly state: WantedState; readonly expiry?: UnixSeconds | undefined };
  readonly onChain: OnChain;
  /** The expiry it was asked for with, by the partner's lifetime: if another one is wanted, it was wished for since. */
  readonly askedExpiry?: UnixSeconds | undefined;
  /** OAuth client that requested what is wanted now; undefined: an earlier release stored it. */
  readonly client?: string | undefined;
  /** The rank in which its signer issues it; undefined: that of a single issuance. */
  readonly issuanceRank?: Rank | undefined;
  /** The chain refused the issuance for good. */
  readonly rejected: boolean;
  /**
   * Set once REVOKED is reached. By a partner, that is final: what the chain shows of the wallet since then is left alone,
   * until a partner revokes that as well. By others, it is what the chain shows, and follows it. Only the
   * end of a step `revoke` sets it for a partner, never what was known before.
   */
  readonly revokedBy?: 'partner' | 'others' | undefined;
  /** The pinned step: while it is here, no other is derived. */
  readonly step?: PinnedStep | undefined;
  /** The newest steps that a confirmed transaction ended, in order: their blocks may still leave the chain. */
  readonly past?: readonly PastStep[] | undefined;
  /** How many steps were pinned so far. */
  readonly steps: number;
  readonly events: readonly PassEvent[];
}

/** A step and the newest revision of it that was recorded. */
export interface StepRevision {
  readonly id: string;
  readonly revision: number;
}

export interface PinnedStep extends StepRevision, Task {
  /** The signer has the step, or cannot add it for some time: the pass need not submit it again soon. */
  readonly held: boolean;
}

/** A step that ended with a confirmed transaction. */
export interface PastStep extends StepRevision, Task {
  readonly transaction: string;
  /** What was known on chain before it, and after. */
  readonly before: OnChain;
  readonly after: OnChain;
  /** The signer that did it, if the pass has another one since. */
  readonly signer?: SignerName;
  /** Its block has left the chain: it comes back, or it is given up. */
  readonly vanished?: true | undefined;
}

/** Whether something that was confirmed is off the chain: until it is back or given up, nothing else is begun. */
export function isReorged({ past = [] }: Pick<Pass, 'past'>): boolean {
  return past.some(({ vanished }) => vanished);
}

/** Ids of the steps that are off the chain and that the pass's signer did. An earlier signer announces its own. */
export function vanishedSteps({ signer: own, past = [] }: Pick<Pass, 'past' | 'signer'>): string[] {
  return past.filter(({ vanished, signer = own }) => vanished && signer === own).map(({ id }) => id);
}

/** A step that a pass waits for. */
export interface AwaitedStep {
  readonly id: string;
  readonly kind: StepKind;
  readonly rank: Rank;
}

/** What it waits for: the pinned step, or one that was done and has left the chain. */
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

/** The public `state`. */
export function stateOf({ wanted, onChain, rejected }: Pass): PassState {
  if (rejected) return 'REJECTED';
  return wanted.state === 'ACTIVE' && onChain.state === 'NONE' ? 'REQUESTED' : wanted.state;
}
