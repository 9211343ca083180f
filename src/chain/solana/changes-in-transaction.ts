import type { Address } from '@solana/kit';
import { BASE58_MAX_CHARS, decodeBase58 } from '../../lib/bytes.ts';
import type { GatekeeperNetwork } from '../../network/slot.ts';
import { parseSolanaAddress } from '../../network/wallet.ts';
import type { Change } from '../../pass/vocabulary.ts';
import { TOKEN_STATES } from '../plan-step.ts';
import type { TokenOwner } from '../watch-port.ts';
import {
  ADD_FEATURE,
  ADD_GATEKEEPER,
  BURN_TOKEN,
  EXPIRE_TOKEN,
  ISSUE,
  REMOVE_FEATURE,
  REMOVE_GATEKEEPER,
  SET_STATE,
  tokenAccount,
  UPDATE_EXPIRY,
} from './gateway.ts';
import { TRANSACTION_VERSION_MAX, type WireInstruction, type WireTransaction } from './wire-transaction.ts';

/** Translates the instructions of a transaction into changes of tokens. */

export interface InstructionChange {
  readonly change: Change;
  /** Address of the token. */
  readonly token: Address;
  /** Only Issue names the owner. */
  readonly holder?: TokenOwner | undefined;
  /** The authority that signed for the gatekeeper; undefined: the owner of the token signed. */
  readonly gatekeeper: string | undefined;
}

export interface ChangesInTransaction {
  /** In order. */
  readonly changes: readonly InstructionChange[];
  /** Why the transaction may have changed more tokens; undefined: these are all. */
  readonly unread?: string | undefined;
}

/** Native programs, which call no other program. */
const LEAF_PROGRAMS: readonly string[] = [
  '11111111111111111111111111111111',
  'ComputeBudget111111111111111111111111111111',
];

/**
 * Returns the changes of tokens in a transaction. The program may also be called by another program. Throws if the transaction has
 * another form. Pure.
 */
export function changesIn(
  { version = 'legacy', meta, transaction: { message } }: WireTransaction,
  program: string,
): ChangesInTransaction {
  if (version !== 'legacy' && !(version <= TRANSACTION_VERSION_MAX))
    return { changes: [], unread: `it has version ${version}` };
  if (meta === null || meta.err === undefined) return { changes: [], unread: 'the node does not show its result' };
  if (meta.err !== null) return { changes: [] };
  const { loadedAddresses: loaded, innerInstructions } = meta;
  const accounts = [...message.accountKeys, ...(loaded?.writable ?? []), ...(loaded?.readonly ?? [])];
  const accountAt = (index: number): Address => {
    const account = accounts[index];
    if (account === undefined) throw new Error('it names an account that the node does not show');
    return account;
  };
  const programOf = ({ programIdIndex }: WireInstruction) => accountAt(programIdIndex);
  const own = [program, ...LEAF_PROGRAMS];
  const hidesCalls = innerInstructions == null && message.instructions.some((each) => !own.includes(programOf(each)));
  const inner = (innerInstructions ?? []).flatMap(({ instructions }) => instructions);
  const calls = [...message.instructions, ...inner].filter((each) => programOf(each) === program);
  const found = calls.map(({ accounts: indexes, data }) => changeIn(data, indexes.map(accountAt)));
  const unknown = found.find((each) => typeof each === 'string');
  return {
    changes: found.filter((each) => typeof each === 'object'),
    unread: unknown ?? (hidesCalls ? 'the node does not show the calls of other programs' : undefined),
  };
}

/** The change of each state that SetState sets. */
const CHANGE_TO = {
  ACTIVE: 'TOKEN_UNFROZEN',
  FROZEN: 'TOKEN_FROZEN',
  REVOKED: 'TOKEN_REVOKED',
} as const satisfies Readonly<Record<(typeof TOKEN_STATES)[number], Change>>;

const WITHOUT_TOKEN: readonly unknown[] = [ADD_GATEKEEPER, REMOVE_GATEKEEPER, ADD_FEATURE, REMOVE_FEATURE];

/**
 * Returns the change of an instruction that succeeded; undefined if it changes no token, or why it is unknown. The known program refuses
 * any instruction that is unknown here, so the program must be a newer one.
 */
function changeIn(text: string, accounts: readonly Address[]): InstructionChange | string | undefined {
  const [tag, state] = text.length > BASE58_MAX_CHARS ? [] : decodeBase58(text);
  if (WITHOUT_TOKEN.includes(tag)) return undefined;
  const unknown = `instruction ${tag ?? 'without a tag'} of the program is unknown`;
  if (tag === ISSUE) {
    const [, token, owner, , gatekeeper, network] = accounts;
    const [wallet, gatekeeperNetwork] = [owner, network].map((each) => parseSolanaAddress(each ?? ''));
    if (token === undefined || gatekeeper === undefined || wallet === undefined) return unknown;
    const holder = { wallet, gatekeeperNetwork: gatekeeperNetwork as string as GatekeeperNetwork };
    return { change: 'TOKEN_ISSUED', token, holder, gatekeeper };
  }
  const [token, signer] = accounts;
  const change = changeOf(tag, state);
  if (!change || !token || !signer) return unknown;
  return { change, token, gatekeeper: tag === EXPIRE_TOKEN ? undefined : signer };
}

function changeOf(tag: number | undefined, state: number | undefined): Change | undefined {
  if (tag === UPDATE_EXPIRY || tag === EXPIRE_TOKEN) return 'TOKEN_EXPIRY_CHANGED';
  if (tag === BURN_TOKEN) return 'TOKEN_REVOKED';
  const name = tag === SET_STATE ? TOKEN_STATES[state ?? -1] : undefined;
  return name && CHANGE_TO[name];
}

/** Returns the owner of a token from the data of its account; undefined if the account is not a token's. */
export function readHolder(data: Parameters<typeof tokenAccount.decode>[0]): TokenOwner | undefined {
  try {
    const { owner, gatekeeperNetwork } = tokenAccount.decode(data);
    const wallet = parseSolanaAddress(owner);
    return wallet && { wallet, gatekeeperNetwork: gatekeeperNetwork as string as GatekeeperNetwork };
  } catch {
    return undefined;
  }
}
