/** The pass to look up. */
export interface PassQuery {
  readonly wallet: string;
  /** The public key of the gatekeeper network, in base58. */
  readonly gatekeeperNetwork: string;
}

/** The state of a gateway token. `NONE`: the wallet has none, or it was burned. */
export type TokenState = 'NONE' | 'ACTIVE' | 'FROZEN' | 'REVOKED';

/** The answer of a chain or of the service about one pass. */
export interface Reading {
  /** Whether a dApp accepts the wallet now. */
  readonly valid: boolean;
  /** Of several gateway tokens, the one that counts. An expired one stays `ACTIVE`. */
  readonly state: TokenState;
  /** The last second of the gateway token (Unix). Absent: it never expires, or there is none. */
  readonly expiry?: number;
  /** The time of the answer by the clock of the chain or the service (Unix seconds). */
  readonly time: number;
  /** The id of the gateway token on an Ethereum-type network, or its address on Solana. */
  readonly token?: string;
  /** The gatekeeper that issued it. Only on Solana. */
  readonly issuer?: string;
}

/** Looks up passes in one place: a contract, a program, or the service. */
export interface PassReader {
  /** Names the place. Two readers with the same key give the same answers. */
  readonly key: string;
  /** Throws if there is no answer, so nobody takes silence for "no pass". */
  read(query: PassQuery, signal: AbortSignal): Promise<Reading>;
}

interface Held {
  readonly state: TokenState;
  readonly expiry?: number;
}

const RANK: readonly TokenState[] = ['ACTIVE', 'FROZEN', 'REVOKED', 'NONE'];

/**
 * Returns the gateway token that counts if a wallet has several: active before frozen before revoked, and of equals the one that lives
 * longest, because a dApp accepts any valid one. Undefined: there is none.
 */
export function tokenThatCounts<Token extends Held>(tokens: readonly Token[]): Token | undefined {
  const end = ({ expiry }: Token) => expiry ?? Number.POSITIVE_INFINITY;
  const rank = ({ state }: Token) => RANK.indexOf(state);
  return tokens.reduce<Token | undefined>((best, each) => {
    const isBetter =
      best === undefined || rank(each) < rank(best) || (rank(each) === rank(best) && end(each) > end(best));
    return isBetter ? each : best;
  }, undefined);
}

/** The states of a gateway token by their number, on both chains. */
const STATES: readonly TokenState[] = ['ACTIVE', 'FROZEN', 'REVOKED'];
/** Gatekeepers also write "never" as a number that no date has. */
const LAST_DATE = 253_402_300_799n;

/** Returns the state with this number. Throws if a later contract or program has one that this release does not know. */
export function stateOf(number: number): TokenState {
  const state = STATES[number];
  if (state === undefined) throw new Error(`a gateway token is in the unknown state ${number}`);
  return state;
}

/** Returns the last second of a gateway token as a reading has it. Null: never. */
export function endOf(expiry: bigint | null): Pick<Reading, 'expiry'> {
  return expiry === null || expiry > LAST_DATE ? {} : { expiry: Math.max(0, Number(expiry)) };
}
