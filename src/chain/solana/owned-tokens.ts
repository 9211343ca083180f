import type { Address } from '@solana/kit';
import { solanaAddress } from '../../network/wallet.ts';
import type { Step } from '../../pass/step.ts';
import type { Token } from '../intent.ts';
import type { Finding } from '../port.ts';
import type { Solana } from './adapter.ts';
import { type Account, readAccounts } from './calls.ts';
import { type Acting, gatekeeperAccount, readToken, type TokenAddress, tokenAddress } from './gateway.ts';

/** A step whose gatekeeper network is one, with the addresses it deals with. */
export interface Placed {
  readonly step: Step;
  readonly acting: Acting;
  readonly wallet: Address;
  readonly addresses: readonly TokenAddress[];
}

/** A token, known by its address. */
interface SolanaToken extends Token {
  readonly id: Address;
}

/** What is at the addresses of a wallet. */
export interface Holdings {
  readonly tokens: readonly SolanaToken[];
  /** The first address that nothing occupies: anybody may send lamports to any address, and so block it. */
  readonly free: TokenAddress | undefined;
}

const UNREADABLE: Finding = { is: 'not-now', why: 'the account of a token cannot be read', keeps: 'step' };

/**
 * How many of a wallet's addresses are looked at: as many as by the client of dApps (`findGatewayToken` of
 * solana-gateway-ts), so that what counts there counts here. The program itself knows no end of them.
 */
const ADDRESSES = 5;

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
      const addresses = Array.from({ length: ADDRESSES }, (_, index) =>
        tokenAddress(program, wallet, gatekeeperNetwork, index),
      );
      const acting = { program, gatekeeper, gatekeeperNetwork, gatekeeperAccount: await account };
      return { step, wallet, acting, addresses: await Promise.all(addresses) };
    }),
  );
}

/** The tokens of every step's wallet at that commitment, by step id. */
export async function readTokens(
  { rpc, program }: Solana,
  steps: readonly Placed[],
  commitment: 'confirmed' | 'finalized',
): Promise<Map<string, Holdings | Finding>> {
  const all = steps.flatMap(({ addresses }) => addresses.map(({ address }) => address));
  const accounts = await readAccounts(rpc, all, commitment);
  return new Map(
    steps.map(({ step, addresses }, row) => {
      const looked = addresses.map((at, index) => ({ at, account: accounts[row * ADDRESSES + index] }));
      return [step.id, holdings(looked, program)];
    }),
  );
}

interface Looked {
  readonly at: TokenAddress;
  readonly account: Account | undefined;
}

function holdings(looked: readonly Looked[], program: Address): Holdings | Finding {
  const held = looked.filter(({ account }) => account?.owner === program);
  const tokens = held.flatMap(({ at, account }): SolanaToken[] => {
    const token = account && readToken(account.data);
    return token === undefined ? [] : [{ ...token, id: at.address }];
  });
  // A token that is there and not understood may be good to others: another beside it would be one too many.
  if (tokens.length < held.length) return UNREADABLE;
  return { tokens, free: looked.find(({ account }) => account === undefined)?.at };
}
