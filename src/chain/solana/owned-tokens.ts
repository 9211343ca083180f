import type { Address } from '@solana/kit';
import { solanaAddress } from '../../network/wallet.ts';
import type { OnChain } from '../../pass/pass.ts';
import type { Step } from '../../pass/step.ts';
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

export interface Token extends OnChain {
  readonly place: TokenPlace;
}

/** What a step finds at its wallet's addresses. */
export interface Owned {
  readonly tokens: readonly Token[];
  /** The first address that nothing occupies: anybody may send lamports to any address, and so block it. */
  readonly free: TokenPlace | undefined;
}

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
): Promise<Map<string, Owned>> {
  const addresses = steps.flatMap(({ places }) => places.map(({ address }) => address));
  const accounts = await readAccounts(rpc, addresses, commitment);
  return new Map(
    steps.map(({ step, places }, row) => {
      const found = places.map((place, index) => ({ place, account: accounts[row * PLACES + index] }));
      return [
        step.id,
        {
          tokens: found.flatMap(({ place, account }) => tokenIn(account, program, place)),
          free: found.find(({ account }) => account === undefined)?.place,
        },
      ];
    }),
  );
}

function tokenIn(account: Account | undefined, program: Address, place: TokenPlace): Token[] {
  if (account?.owner !== program) return [];
  const token = readToken(account.data);
  return token === undefined ? [] : [{ ...token, place }];
}
