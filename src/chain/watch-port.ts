import type { UnixSeconds } from '../lib/units.ts';
import type { GatekeeperNetwork } from '../network/slot.ts';
import type { Wallet } from '../network/wallet.ts';
import type { Change, OnChainState } from '../pass/vocabulary.ts';

/** The history of a network's contracts or program, as the watcher reads it. An adapter stores nothing. */
export interface WatchPort {
  /**
   * Reads the newest part of a span from one endpoint, in one HTTP request if the endpoint accepts it. Successive turns begin with
   * another endpoint each, so that two of them read each block. If one does not answer, the next one is asked.
   * Throws RpcFault if no endpoint answers, or if one fails while the others do not serve the span.
   * @param contracts The contracts to watch; ignored on Solana.
   */
  scan(span: Span, contracts: readonly string[], turn: number): Promise<Scan>;
  /**
   * Returns the gatekeeper network of each token, in order, as the first endpoint of the turn alone shows it at that block; null: its
   * number belongs to none; undefined: the endpoint does not show it. Always undefined on Solana, where only an account names it.
   */
  nameNetworks(
    tokens: readonly TokenChange[],
    at: number,
    turn: number,
  ): Promise<readonly (GatekeeperNetwork | null | undefined)[]>;
  /**
   * Finds the tokens and wallets of these changes, and reads the tokens as they are now. A transaction may have changed any number
   * of tokens, or none. Successive turns begin with another endpoint each. Throws RpcFault if no endpoint answers.
   */
  resolve(changes: readonly UnresolvedChange[], turn: number): Promise<Resolution>;
  /**
   * Returns the role of each account, in order, as two endpoints show it at the depth of confirmation (or the only one does);
   * undefined: they do not show it. Throws RpcFault if no endpoint answers. Always `held` on Solana.
   */
  readRoles(gatekeepers: readonly RoleHolder[]): Promise<readonly (Role | undefined)[]>;
}

/** `lost`: the account is no gatekeeper, and the tokens that it issued count all the same. `void`: they do not count. */
export type Role = 'held' | 'lost' | 'void';

export interface Resolution {
  readonly resolved: ResolvedChange[];
  /**
   * The changes whose owner no endpoint that answered has shown, in this call:
   * - a token that no longer exists, if no log names its owner; on Solana, if its issuance was not found
   * - a transaction that two endpoints deny, if one of them lacks it, also in its history (Solana), or its log (Ethereum)
   * On Solana, a token that a transaction changed takes the place of the transaction. All of them may be asked about again.
   */
  readonly unresolved: UnresolvedChange[];
  /**
   * The transactions that the chain has or may have, and that no endpoint has shown in full. The other lists have the rest of them. Two
   * endpoints (or the only one) deny a transaction if they lack it or show no change in it. A denied one is not unread.
   */
  readonly unread: readonly UnreadTransaction[];
}

/** A transaction that may have changed more tokens than could be read. */
export interface UnreadTransaction {
  readonly change: TransactionChange;
  readonly why: string;
}

/** A place in the history of a chain. */
export interface Place {
  /** Number of the block; on Solana, the slot. */
  readonly at: number;
  /** Hash of the block; on Solana, the signature of the transaction there. Empty if nothing depends on it. */
  readonly id: string;
  readonly time: UnixSeconds;
}

/** A part of the history. Both ends are excluded. */
export interface Span {
  /** Undefined: only the newest place is wanted. */
  readonly after: Place | undefined;
  /** Undefined: up to the newest block. */
  readonly before?: Place | undefined;
}

export type Scan =
  | {
      readonly type: 'scanned';
      readonly changes: readonly ChainChange[];
      /** The newest place that the span has, or the newest of the chain. The changes up to there and after `left` are complete. */
      readonly newest: Place;
      /** The newest block (Solana: slot) that counts as confirmed, and the newest final one, as the same endpoint has them. */
      readonly confirmedAt: number;
      readonly finalAt: number;
      /** The older part of the span that was not read. */
      readonly left?: Span | undefined;
      /** The newest block of the span, if every endpoint refuses its logs alone. Only this block is missing. Never on Solana. */
      readonly unserved?: { readonly span: Span; readonly why: string } | undefined;
    }
  /** An end of the span has left the chain, or no endpoint has it. Read again from an earlier place. */
  | { readonly type: 'reorged' }
  /** No endpoint serves this part of the history, and none has failed. */
  | { readonly type: 'gone'; readonly why: string };

interface InTransaction {
  /** Hash (Ethereum) or signature (Solana). */
  readonly transaction: string;
  /** The block (Solana: slot) that includes it. */
  readonly at: number;
  /** Address of the contract; on Solana, of the program. */
  readonly contract: string;
}

/** A change of a token. */
export interface TokenChange extends InTransaction {
  readonly type: 'token';
  /** The change; TOKEN_REVOKED also if the token was burned. */
  readonly change: Change;
  /** Decimal id of the token (Ethereum), or its address (Solana). */
  readonly token: string;
  /** The owner, if the log names it. */
  readonly holder?: TokenOwner | undefined;
  /** The gatekeeper network of the token, if a log or the contract names it. */
  readonly gatekeeperNetwork?: GatekeeperNetwork | undefined;
  /** Address of the gatekeeper that made the change, if the log names it. */
  readonly gatekeeper?: string | undefined;
}

/** A transaction that may have changed tokens. On Solana, only the transaction itself names them. On Ethereum-type networks, a log of it could not be read. */
export interface TransactionChange extends InTransaction {
  readonly type: 'transaction';
}

/** A change whose owner only `resolve` finds. */
export type UnresolvedChange = TokenChange | TransactionChange;

/** The owner of a token and its gatekeeper network. */
export interface TokenOwner {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  /** In its canonical form. */
  readonly wallet: Wallet;
}

/** An account that holds or held the role of a gatekeeper. */
export interface RoleHolder {
  readonly contract: string;
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly account: string;
}

export type ChainChange =
  | UnresolvedChange
  /** An account has lost or received the role of a gatekeeper. */
  | (InTransaction & RoleHolder & { readonly type: 'role' })
  /** The contract has other code now. */
  | (InTransaction & { readonly type: 'upgraded' });

/** A change of a token with its owner, and the token as it is now. */
export interface ResolvedChange extends Omit<TokenChange, 'holder'> {
  readonly holder: TokenOwner;
  /** NONE: it was burned. */
  readonly state: OnChainState;
  /** Undefined: never. */
  readonly expiry?: UnixSeconds | undefined;
}
