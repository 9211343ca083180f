import type { Address } from '@solana/kit';
import { solanaAddress } from '../../network/wallet.ts';
import type { Step } from '../../pass/step.ts';
import type { Token } from '../intent.ts';
import type { Finding } from '../port.ts';
import type { Solana } from './adapter.ts';
import { type Account, readAccounts } from './calls.ts';
import { type Acting, gatekeeperAccount, readToken, type TokenPlace, tokenPlace } from './gateway.ts';

/** A step whose gatekeeper network is one, with the addresses it deals with. */
export interface Placed {
  readonly step: Step;
  readonly acting: Acting;
  readonly wallet: Address;
  readonly places: readonly TokenPlace[];
}

/** A token, known by its address. */
interface SolanaToken extends Token {
  readonly id: Address;
}

/** What is at the addresses of a wallet. */
export interface Found {
  readonly tokens: readonly SolanaToken[];
  /** The first address that nothing occupies: anybody may send lamports to any address, and so block it. */
  readonly free: TokenPlace | undefined;
}

const UNREADABLE: Finding = { is: 'not-now', why: 'the account of a token cannot be read', keeps: 'step' };

/**
 * How many of a wallet's addresses are looked at: as many as by the client of dApps (`findGatewayToken` of
 * solana-gateway-ts), so that what counts there counts here. The program itself knows no end of them.
 */
const PLACES = 5;

/** The addresses of the steps; those whose gatekeeper network is no public key are left out. */
export async function placed({ program, gatekeeper }: Solana, steps: readonly Step[]): Promise<Placed[]> {
  const sound = steps.filter(({ key }) => solanaAddress(key.gatekeeperNetwork) !== undefined);
  const accounts = new Map<string, Promise<Address>>();
  return Promise.all(
    sound.map(async (step) => {
      const gatekeeperNetwork = step.key.gatekeeperNetwork as Address;
      const account = accounts.get(gatekeeperNetwork) ?? gatekeeperAccount(program, gatekeeper, gatekeeperNetwork);
      accounts.set(gatekeeperNetwork, account);
      const wallet = step.key.wallet as Address;
      const places = Array.from({ length: PLACES }, (_, index) =>
        tokenPlace(program, wallet, gatekeeperNetwork, index),
      );
      const acting = { program, gatekeeper, gatekeeperNetwork, gatekeeperAccount: await account };
      return { step, wallet, acting, places: await Promise.all(places) };
    }),
  );
}

/** The tokens of every step's wallet at that commitment, by step id. */
export async function readTokens(
  { rpc, program }: Solana,
  steps: readonly Placed[],
  commitment: 'confirmed' | 'finalized',
): Promise<Map<string, Found | Finding>> {
  const addresses = steps.flatMap(({ places }) => places.map(({ address }) => address));
  const accounts = await readAccounts(rpc, addresses, commitment);
  return new Map(
    steps.map(({ step, places }, row) => {
      const found = places.map((place, index) => ({ place, account: accounts[row * PLACES + index] }));
      return [step.id, owned(found, program)];
    }),
  );
}

interface Occupied {
  readonly place: TokenPlace;
  readonly account: Account | undefined;
}

function owned(found: readonly Occupied[], program: Address): Found | Finding {
  const held = found.filter(({ account }) => account?.owner === program);
  const tokens = held.flatMap(({ place, account }): SolanaToken[] => {
    const token = account && readToken(account.data);
    return token === undefined ? [] : [{ ...token, id: place.address }];
  });
  // A token that is there and not understood may be good to others: another beside it would be one too many.
  if (tokens.length < held.length) return UNREADABLE;
  return { tokens, free: found.find(({ account }) => account === undefined)?.place };
}
