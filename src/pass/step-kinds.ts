import type { UnixSeconds } from '../lib/units.ts';
import type { Chain } from '../network/network.ts';
import type { Change, CountedChange, FeedType, WantedState } from './vocabulary.ts';

/**
 * The rank of a step in its lane: 0 goes first. Stored and sent as a number.
 * - 0: steps that take access away
 * - 1: other changes, and issuances that were requested one by one
 * - 2: issuances that were requested in bulk, also if they renew
 */
export const RANKS = [0, 1, 2] as const;
export type Rank = (typeof RANKS)[number];

/** The rank of steps that take access away. */
export const URGENT: Rank = 0;
/** The rank of issuances that were requested one by one. */
export const SINGLE_ISSUANCE: Rank = 1;
/** The rank of issuances that were requested in bulk. */
export const BULK_ISSUANCE: Rank = 2;

/** The differences between the kinds of steps. Only `issue` creates a token; every other kind changes one. */
interface KindOfStep {
  /** The change that the record shows for the step. Its name begins the names of its events. */
  readonly change: Change;
  /** The feed event of the confirmed change. */
  readonly feedType: FeedType;
  /** The change that the usage counts; undefined: none. */
  readonly usage: CountedChange | undefined;
  /** The state that the step produces; undefined: it does not change the state. */
  readonly stateAfter: WantedState | undefined;
  readonly setsExpiry: boolean;
  /** Its rank in a lane. `issuance`: the rank that the pass stores for its issuance. */
  readonly rank: Rank | 'issuance';
  /** If so, neither the suspension of its client nor a withdrawal by the operator stops it. */
  readonly takesAccessAway: boolean;
  /** Whether it may spend the reserve beyond a daily ceiling. */
  readonly mayUseReserve: boolean;
  /** Whether only the issuer of a token can do it on a chain with the rule `onlyIssuerFreezes`. */
  readonly isUpToIssuer: boolean;
  /** Whether two steps of this kind differ in effect, so that they must not change places. */
  readonly needsOrder: boolean;
}

/** The kinds of steps. Names are stored and sent, so a kind may be added but never renamed. */
export const STEP_KINDS = {
  issue: {
    change: 'TOKEN_ISSUED',
    feedType: 'pass.issued',
    usage: 'issued',
    stateAfter: 'ACTIVE',
    setsExpiry: true,
    rank: 'issuance',
    takesAccessAway: false,
    mayUseReserve: false,
    isUpToIssuer: false,
    needsOrder: false,
  },
  'set-expiry': {
    change: 'TOKEN_EXPIRY_CHANGED',
    feedType: 'pass.expiry_changed',
    usage: undefined,
    stateAfter: undefined,
    setsExpiry: true,
    // An issuance that renews an expired pass, or sets the expiry of a found token, is a step of this kind.
    rank: 'issuance',
    takesAccessAway: false,
    mayUseReserve: false,
    isUpToIssuer: false,
    needsOrder: true,
  },
  freeze: {
    change: 'TOKEN_FROZEN',
    feedType: 'pass.frozen',
    usage: undefined,
    stateAfter: 'FROZEN',
    setsExpiry: false,
    rank: URGENT,
    takesAccessAway: true,
    mayUseReserve: false,
    isUpToIssuer: true,
    needsOrder: false,
  },
  unfreeze: {
    change: 'TOKEN_UNFROZEN',
    feedType: 'pass.unfrozen',
    usage: undefined,
    stateAfter: 'ACTIVE',
    setsExpiry: false,
    rank: 1,
    takesAccessAway: false,
    mayUseReserve: false,
    isUpToIssuer: true,
    needsOrder: false,
  },
  revoke: {
    change: 'TOKEN_REVOKED',
    feedType: 'pass.revoked',
    usage: 'revoked',
    stateAfter: 'REVOKED',
    setsExpiry: false,
    rank: URGENT,
    takesAccessAway: true,
    mayUseReserve: true,
    isUpToIssuer: false,
    needsOrder: false,
  },
} as const satisfies Readonly<Record<string, KindOfStep>>;

/** A change that a signer can make to a gateway token. */
export type StepKind = keyof typeof STEP_KINDS;

/** The effect that a step has to have on the wallet's gateway token. */
export interface Task {
  readonly kind: StepKind;
  /** The new expiry; undefined: never. Only kinds with `setsExpiry` have one. */
  readonly expiry?: UnixSeconds | undefined;
}

/** Returns the kinds with a property. */
export function kindsWith(property: (kind: KindOfStep) => boolean): StepKind[] {
  const kinds = Object.entries(STEP_KINDS) as [StepKind, KindOfStep][];
  return kinds.flatMap(([name, kind]) => (property(kind) ? [name] : []));
}

/** Returns the rank of a step. `issuance`: the rank that the pass stores for its issuance. */
export function rankOf(kind: StepKind, issuance: Rank = SINGLE_ISSUANCE): Rank {
  const { rank } = STEP_KINDS[kind];
  return rank === 'issuance' ? issuance : rank;
}

/** The states after the steps that take access away. */
const STATES_WITHOUT_ACCESS: readonly WantedState[] = kindsWith(({ takesAccessAway }) => takesAccessAway).flatMap(
  (kind) => STEP_KINDS[kind].stateAfter ?? [],
);

/** Whether a request for that state takes access away. The limit of waiting work does not stop it. */
export function takesAccessAway({ state }: { readonly state?: WantedState | undefined }): boolean {
  return state !== undefined && STATES_WITHOUT_ACCESS.includes(state);
}

/** The ranks of the steps that may use the reserve of a ceiling. */
export const RESERVE_RANKS: readonly Rank[] = kindsWith(({ mayUseReserve }) => mayUseReserve).map((kind) =>
  rankOf(kind),
);

/** The rules for gateway tokens that differ between chains. */
interface ChainRules {
  /** Whether the expiry of a frozen token can be changed. Otherwise the change waits until the token is unfrozen. */
  readonly expiryWhileFrozen: boolean;
  /** Whether an expiring token can be changed to one that never expires. */
  readonly canClearExpiry: boolean;
  /** Whether a reorg can give the id of a token to the token of another wallet. */
  readonly tokenIdsMove: boolean;
  /** Whether only the gatekeeper that issued a token can freeze and unfreeze it. */
  readonly onlyIssuerFreezes: boolean;
  /** Whether the transactions of a key take effect in the order in which they were signed. */
  readonly transactionsAreOrdered: boolean;
}

export const CHAIN_RULES: Readonly<Record<Chain, ChainRules>> = {
  // GatewayToken: setExpiration requires an ACTIVE token, and 0 means "never". Mints get consecutive ids. Nonces set the order.
  ethereum: {
    expiryWhileFrozen: false,
    canClearExpiry: true,
    tokenIdsMove: true,
    onlyIssuerFreezes: false,
    transactionsAreOrdered: true,
  },
  // Gateway program: UpdateExpiry accepts any state and requires a time. Token addresses are derived from the wallet.
  solana: {
    expiryWhileFrozen: true,
    canClearExpiry: false,
    tokenIdsMove: false,
    onlyIssuerFreezes: true,
    transactionsAreOrdered: false,
  },
};
