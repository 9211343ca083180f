import { RpcFault } from '../../src/chain/port.ts';
import { Failure } from '../../terminal/failure.ts';
import { isPermanent, repeatReading, retryReading } from './retry.ts';
import { checkProgram, type Part, type PartTokens, readParts, type SolanaSource } from './solana-tokens.ts';
import type { Page } from './token.ts';

interface SolanaPosition {
  /** Whether each known gatekeeper has its own branch. Otherwise one branch has all tokens. */
  readonly byGatekeeper: boolean;
  /** Number of branches that are read. */
  readonly branch: number;
  /** The first byte of the next wallets; undefined: one query reads the whole branch. */
  readonly walletByte: number | undefined;
  /** The lowest slot that showed tokens, and the highest one. */
  readonly oldest: number;
  readonly newest: number;
}

const START: SolanaPosition = {
  byGatekeeper: false,
  branch: 0,
  walletByte: undefined,
  oldest: Number.MAX_SAFE_INTEGER,
  newest: 0,
};
const BYTES = 256;
/** Queries of one request. */
const BYTES_PER_READ = 8;
/** A narrower query follows soon, because the provider may refuse the large one by not answering in time. */
const TRIES_BEFORE_NARROWER = 4;

/**
 * Reads the tokens of a gatekeeper network. If the provider refuses the query for all of them, or its answer is too long, the
 * reader asks for the wallets by their first byte. If the provider refuses that too, it asks in the same two ways for each known
 * gatekeeper. The tokens of other gatekeepers are then missing.
 * @param gatekeepers Addresses of the known gatekeepers.
 */
export async function* readSolana(
  source: SolanaSource,
  gatekeepers: readonly string[],
  before: unknown,
): AsyncGenerator<Page> {
  const { network } = source.network;
  let at = before as SolanaPosition | undefined;
  if (at === undefined) await retryReading(source, () => checkProgram(source));
  at ??= START;
  for (;;) {
    const branches = at.byGatekeeper ? gatekeepers : [undefined];
    if (at.branch >= branches.length) return;
    const parts = partsOf(branches[at.branch], at.walletByte);
    const read = await readOrRefuse(source, parts, at);
    if (read === undefined) {
      at = narrow(at) as SolanaPosition;
      if (at.byGatekeeper && gatekeepers.length === 0) throw new Failure(`${network}: ${REFUSAL}`);
      continue;
    }
    at = moveOn(at, read);
    yield {
      tokens: read.flatMap(({ tokens }) => tokens),
      position: at,
      issuedUpTo: at.oldest,
      ...(at.byGatekeeper && { missing: `tokens of gatekeepers other than ${gatekeepers.join(', ')}` }),
      done: at.branch * BYTES + (at.walletByte ?? 0),
      total: branches.length * BYTES,
    };
  }
}

const REFUSAL =
  'the provider refuses to list tokens without their gatekeeper: use another provider, or name every gatekeeper with --gatekeeper ADDRESS';

function partsOf(gatekeeper: string | undefined, walletByte: number | undefined): Part[] {
  if (walletByte === undefined) return [{ gatekeeper, walletByte }];
  return Array.from({ length: BYTES_PER_READ }, (_, index) => ({ gatekeeper, walletByte: walletByte + index }));
}

/** Returns the position with a narrower query for the same tokens, or undefined if no query is narrower. */
function narrow(at: SolanaPosition): SolanaPosition | undefined {
  if (at.walletByte === undefined) return { ...at, walletByte: 0 };
  // After the first wallets, a change of the branches would read them again.
  return at.walletByte === 0 && !at.byGatekeeper ? { ...at, byGatekeeper: true, walletByte: undefined } : undefined;
}

function moveOn(at: SolanaPosition, read: readonly PartTokens[]): SolanaPosition {
  const slots = read.map(({ slot }) => slot);
  const seen = { oldest: Math.min(at.oldest, ...slots), newest: Math.max(at.newest, ...slots) };
  const next = (at.walletByte ?? BYTES) + BYTES_PER_READ;
  return next < BYTES
    ? { ...at, ...seen, walletByte: next }
    : { ...at, ...seen, branch: at.branch + 1, walletByte: undefined };
}

/**
 * Reads the parts. Returns undefined if the provider refuses them and a narrower query may help. A provider may also refuse a
 * large query by not answering in time. But an outage must not lead to the queries by gatekeeper, which may miss tokens.
 */
async function readOrRefuse(
  source: SolanaSource,
  parts: readonly Part[],
  at: SolanaPosition,
): Promise<PartTokens[] | undefined> {
  const isNarrowest = narrow(at) === undefined;
  const read = async () => {
    const tokens = await readParts(source, parts, at.newest);
    if (tokens === undefined && isNarrowest) throw new RpcFault('the provider refuses to list the tokens');
    return tokens;
  };
  if (at.walletByte !== undefined) return retryReading(source, read);
  try {
    return await repeatReading(source, read, TRIES_BEFORE_NARROWER);
  } catch (fault) {
    if (!(fault instanceof RpcFault)) throw fault;
    return isPermanent(fault) ? retryReading(source, read) : undefined;
  }
}
