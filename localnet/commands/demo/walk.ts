import type { Gatepass } from '../../gatepass.ts';
import { freshWallet } from '../../partner/fresh-wallet.ts';
import { PartnerClient, type PassRecord } from '../../partner/partner-client.ts';
import { LIFE, live, type Stage } from '../../partner/pass-life.ts';
import { dAppAccepts, tokenOnChain, type WitnessedToken } from '../../witness/witness.ts';
import { short, Timeline } from './timeline.ts';

/** How one stage went. */
export interface Outcome {
  /** Whether the record, the chain and the dApp are all as asked. */
  readonly good: boolean;
  /** One cell for each of `HEADS`. */
  readonly row: readonly string[];
}

/** The transaction comes last: it is longer on one chain than on the other, and longer than all the rest. */
export const HEADS = ['network', 'wallet', 'stage', 'state', 'on chain', 'dApp', 'seconds', 'transaction'];

/** Leads the pass of a wallet nobody has used through its whole life. Where it is stuck, the rest is left out. */
export async function walk(localnet: Gatepass['facts'], network: string): Promise<Outcome[]> {
  const client = new PartnerClient(localnet, 'acme');
  const wallet = freshWallet(network);
  const timeline = new Timeline(network, wallet);
  timeline.say(`the wallet is ${wallet}`);
  const outcomes: Outcome[] = [];
  for (const stage of LIFE) {
    timeline.say(stage.name);
    const started = timeline.seconds();
    try {
      const pass = await live(stage, client, network, wallet, (each) => timeline.tell(each));
      const took = (timeline.seconds() - started).toFixed(1);
      const seen = await ask(localnet.rpc[network] ?? '', wallet, client.gatekeeperNetwork);
      timeline.say(`  on chain: ${shown(seen.token)}; to a dApp: ${seen.verdict}`);
      const { state } = pass;
      const row = [
        network,
        short(wallet),
        stage.name,
        state,
        shown(seen.token),
        seen.verdict,
        took,
        transactionOf(pass),
      ];
      outcomes.push({ good: isAsAsked(stage, pass, seen), row });
    } catch (error) {
      timeline.say(`  ${(error as Error).message}`);
      outcomes.push({ good: false, row: [network, short(wallet), stage.name, 'unknown'] });
      break;
    }
  }
  return outcomes;
}

/** What the protocol's own clients say of the wallet. */
async function ask(...about: Parameters<typeof dAppAccepts>) {
  const [token, accepted] = await Promise.all([tokenOnChain(...about), dAppAccepts(...about)]);
  return { token, accepted, verdict: accepted ? 'valid' : 'not valid' };
}

function isAsAsked(stage: Stage, pass: PassRecord, { token, accepted }: Awaited<ReturnType<typeof ask>>): boolean {
  const { state, onChainState, expiryTimestamp } = pass;
  const recorded = state === stage.state && onChainState === stage.state;
  return recorded && token?.state === state && token.expiry === expiryTimestamp && accepted === stage.accepted;
}

function shown(token: WitnessedToken | undefined): string {
  if (token === undefined) return 'no token';
  return token.expiry === undefined
    ? token.state
    : `${token.state} until ${new Date(token.expiry * 1000).toISOString().slice(0, 10)}`;
}

function transactionOf({ events }: PassRecord): string {
  return events.findLast(({ transaction }) => transaction)?.transaction?.identifier ?? 'none';
}
