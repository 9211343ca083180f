import type { Address } from '@solana/kit';
import { BASE58_MAX_CHARS, decodeBase58 } from '../../lib/base58.ts';
import type { GatekeeperNetwork } from '../../network/slot.ts';
import { parseSolanaAddress } from '../../network/wallet.ts';
import type { Change } from '../../pass/vocabulary.ts';
import { TOKEN_STATES } from '../plan-step.ts';
import type { Holder } from '../watch-port.ts';
import { BURN_TOKEN, ISSUE, SET_STATE, tokenAccount, UPDATE_EXPIRY } from './abi.ts';

/** Translates the instructions of a transaction into changes of tokens. */

/** An instruction as nodes return it: indexes into the accounts of the transaction, and data in base58. */
interface WireInstruction {
  readonly programIdIndex: number;
  readonly accounts: readonly number[];
  readonly data: string;
}

/** A transaction in the encoding `json` of `getTransaction`. */
export interface WireTransaction {
  readonly slot: number;
  readonly meta: {
    readonly err: unknown;
    /** Null: the node has not recorded them. */
    readonly innerInstructions?: readonly { readonly instructions: readonly WireInstruction[] }[] | null;
    /** The accounts that the transaction names by lookup tables. They follow the others. */
    readonly loadedAddresses?: { readonly writable: readonly Address[]; readonly readonly: readonly Address[] } | null;
  } | null;
  readonly transaction: {
    readonly message: { readonly accountKeys: readonly Address[]; readonly instructions: readonly WireInstruction[] };
  };
}

export interface InstructionChange {
  readonly change: Change;
  /** Address of the token. */
  readonly token: Address;
  /** Only Issue names the owner. */
  readonly holder?: Holder | undefined;
  /** The authority that signed for the gatekeeper. */
  readonly gatekeeper: string;
}

/**
 * Returns the changes of tokens in a transaction, in order. The program may also be called by another program. Throws if the
 * transaction has another form. Pure.
 */
export function changesIn({ meta, transaction: { message } }: WireTransaction, program: string): InstructionChange[] {
  if (meta === null || meta.err !== null) return [];
  const { loadedAddresses: loaded, innerInstructions } = meta;
  const accounts = [...message.accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])];
  const inner = (innerInstructions ?? []).flatMap(({ instructions }) => instructions);
  return (
    [...message.instructions, ...inner]
      // The program refuses data that is longer than its own instructions, so longer data changes no token.
      .filter(({ programIdIndex, data }) => accounts[programIdIndex] === program && data.length <= BASE58_MAX_CHARS)
      .flatMap(({ accounts: indexes, data }) => {
        const named = indexes.map((index) => accounts[index] as Address);
        return changeIn(decodeBase58(data), named) ?? [];
      })
  );
}

/** The change of each state that SetState sets. */
const CHANGE_TO = {
  ACTIVE: 'TOKEN_UNFROZEN',
  FROZEN: 'TOKEN_FROZEN',
  REVOKED: 'TOKEN_REVOKED',
} as const satisfies Readonly<Record<(typeof TOKEN_STATES)[number], Change>>;

function changeIn([tag, state]: Uint8Array, accounts: readonly Address[]): InstructionChange | undefined {
  if (tag === ISSUE) {
    const [, token, owner, , gatekeeper, network] = accounts;
    const [wallet, gatekeeperNetwork] = [owner, network].map((each) => parseSolanaAddress(each ?? ''));
    if (token === undefined || gatekeeper === undefined || wallet === undefined) return undefined;
    const holder = { wallet, gatekeeperNetwork: gatekeeperNetwork as string as GatekeeperNetwork };
    return { change: 'TOKEN_ISSUED', token, holder, gatekeeper };
  }
  const [token, gatekeeper] = accounts;
  const change = changeOf(tag, state);
  return change && token && gatekeeper ? { change, token, gatekeeper } : undefined;
}

function changeOf(tag: number | undefined, state: number | undefined): Change | undefined {
  if (tag === UPDATE_EXPIRY) return 'TOKEN_EXPIRY_CHANGED';
  if (tag === BURN_TOKEN) return 'TOKEN_REVOKED';
  const name = tag === SET_STATE ? TOKEN_STATES[state ?? -1] : undefined;
  return name && CHANGE_TO[name];
}

/** Returns the owner of a token from the data of its account; undefined if the account is not a token's. */
export function readHolder(data: Parameters<typeof tokenAccount.decode>[0]): Holder | undefined {
  try {
    const { owner, gatekeeperNetwork } = tokenAccount.decode(data);
    const wallet = parseSolanaAddress(owner);
    return wallet && { wallet, gatekeeperNetwork: gatekeeperNetwork as string as GatekeeperNetwork };
  } catch {
    return undefined;
  }
}
