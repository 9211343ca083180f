import { type Address, address, getAddressDecoder, getAddressEncoder, getProgramDerivedAddress } from '@solana/kit';
import { endOf, type PassReader, type Reading, stateOf, tokenThatCounts } from './reader.ts';

export type { PassQuery, PassReader, Reading, TokenState } from './reader.ts';

/** The part of kit's RPC client that the reader needs. */
export interface KitRpc {
  getMultipleAccounts(
    addresses: Address[],
    config: { readonly encoding: 'base64'; readonly commitment: 'confirmed' },
    // biome-ignore lint/suspicious/noExplicitAny: kit infers the result from the configuration.
  ): { send(options?: { readonly abortSignal?: AbortSignal }): Promise<any> };
}

interface WireAccount {
  readonly owner: string;
  readonly data: readonly [text: string, encoding: string];
}

const PROGRAM = 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs';
const CLOCK_SYSVAR = 'SysvarC1ock11111111111111111111111111111111';
/** The place of the Unix time in the account of the clock. */
const CLOCK_TIME_AT = 32;
/** The indexes of a wallet's gateway tokens that `findGatewayToken` of the protocol's client reads. */
const INDEXES = [0, 1, 2, 3, 4];
const PUBLIC_KEY_BYTES = 32;

/**
 * Reads Solana through the page's own RPC client of kit, with one request at commitment `confirmed`. The clock of the chain decides
 * whether a pass has expired.
 * @param options.name Tells clusters apart if the page changes between them. Default: none.
 */
export function kitReader(rpc: KitRpc, { name = '', program = PROGRAM } = {}): PassReader {
  return {
    key: `${name}/${program}`,
    async read({ wallet, gatekeeperNetwork }, abortSignal) {
      const places = await Promise.all(INDEXES.map((index) => placeOf(program, wallet, gatekeeperNetwork, index)));
      const asked = [CLOCK_SYSVAR, program, ...places].map((each) => address(each));
      const { value } = await rpc
        .getMultipleAccounts(asked, { encoding: 'base64', commitment: 'confirmed' })
        .send({ abortSignal });
      const [clock, code, ...accounts] = value as (WireAccount | null)[];
      // Without the clock or the program, missing gateway tokens prove nothing.
      if (!clock || !code) throw new Error('the node has no clock or no gateway program');
      const time = Number(viewOf(clock).getBigInt64(CLOCK_TIME_AT, true));
      const tokens = accounts.flatMap((account, index) => {
        return account?.owner === program ? [{ token: places[index] ?? '', ...tokenOf(viewOf(account)) }] : [];
      });
      const counts: Held = tokenThatCounts(tokens) ?? { state: 'NONE' };
      const { state, expiry = time } = counts;
      return { ...counts, valid: state === 'ACTIVE' && expiry >= time, time };
    },
  };
}

type Held = Omit<Reading, 'valid' | 'time'>;

/** Returns the address of a wallet's gateway token. */
async function placeOf(program: string, wallet: string, gatekeeperNetwork: string, index: number): Promise<string> {
  const bytesOf = (text: string) => getAddressEncoder().encode(address(text));
  const seed = new Uint8Array(8);
  seed[7] = index;
  const [place] = await getProgramDerivedAddress({
    programAddress: address(program),
    seeds: [bytesOf(wallet), 'gateway', seed, bytesOf(gatekeeperNetwork)],
  });
  return place;
}

/** Returns the gateway token in an account. Throws if the account has another form or is too short, because nobody knows then. */
function tokenOf(view: DataView): Held {
  let at = 1;
  const skipped = (bytes: number) => {
    at += bytes;
    return at - bytes;
  };
  const isPresent = () => {
    const flag = view.getUint8(skipped(1));
    if (flag > 1) throw new Error('a gateway token has an unknown form');
    return flag === 1;
  };
  if (isPresent()) skipped(PUBLIC_KEY_BYTES);
  skipped(PUBLIC_KEY_BYTES);
  if (isPresent()) skipped(PUBLIC_KEY_BYTES);
  skipped(PUBLIC_KEY_BYTES);
  const issuer = getAddressDecoder().decode(new Uint8Array(view.buffer, skipped(PUBLIC_KEY_BYTES), PUBLIC_KEY_BYTES));
  const state = stateOf(view.getUint8(skipped(1)));
  return { state, ...endOf(isPresent() ? view.getBigInt64(at, true) : null), issuer };
}

function viewOf({ data: [text] }: WireAccount): DataView {
  return new DataView(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)).buffer);
}
