import type { Gatepass } from '../../gatepass.ts';
import { freshWallet } from '../../partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../partner/localnet-partner.ts';
import type { PassRecord } from '../../partner/partner-client.ts';
import { LIFE_STAGES, type LifeStage, runStage } from '../../partner/pass-life.ts';
import { dAppAccepts, type OnChainToken, readToken } from '../../witness/on-chain-token.ts';
import type { Deliveries } from './deliveries.ts';
import { shortenWallet, Timeline } from './timeline.ts';

/** The result of one stage. */
export interface StageOutcome {
  /** Whether the record, the chain and the dApp all show the requested state, and its event was delivered. */
  readonly isAsExpected: boolean;
  /** One cell for each of `COLUMN_HEADS`. */
  readonly row: readonly string[];
}

/** The transaction is the last column, because it is the longest, and longer on one chain than on the other. */
export const COLUMN_HEADS = [
  'network',
  'wallet',
  'stage',
  'state',
  'on chain',
  'dApp',
  'event',
  'seconds',
  'transaction',
];

/** Takes the pass of an unused wallet through its whole life. If a stage fails, the rest is left out. */
export async function runPassLife(
  localnet: Gatepass['facts'],
  network: string,
  deliveries: Deliveries,
): Promise<StageOutcome[]> {
  const client = new LocalnetPartner(localnet, 'acme');
  const wallet = freshWallet(network);
  const timeline = new Timeline(network, wallet);
  timeline.print(`the wallet is ${wallet}`);
  deliveries.onEvent(wallet, ({ type, sequence }) => timeline.print(`  delivered: ${type}, sequence ${sequence}`));
  const outcomes: StageOutcome[] = [];
  for (const stage of LIFE_STAGES) {
    timeline.print(stage.name);
    const started = timeline.elapsedSeconds();
    try {
      const pass = await runStage(stage, client, network, wallet, (each) => timeline.printEvents(each));
      const took = (timeline.elapsedSeconds() - started).toFixed(1);
      const seen = await readChain(
        localnet.rpc[network] ?? '',
        wallet,
        client.gatekeeperNetwork,
        localnet.gatewayToken[network],
      );
      timeline.print(`  on chain: ${describeToken(seen.token)}; to a dApp: ${seen.verdict}`);
      const delivered = await deliveries.awaitEvent(wallet, stage.feedType);
      const { state } = pass;
      const row = [
        network,
        shortenWallet(wallet),
        stage.name,
        state,
        describeToken(seen.token),
        seen.verdict,
        delivered?.type ?? 'none',
        took,
        transactionOf(pass),
      ];
      outcomes.push({ isAsExpected: hasExpectedResult(stage, pass, seen) && delivered !== undefined, row });
    } catch (error) {
      timeline.print(`  ${(error as Error).message}`);
      outcomes.push({ isAsExpected: false, row: [network, shortenWallet(wallet), stage.name, 'unknown'] });
      break;
    }
  }
  return outcomes;
}

/** Returns the answer of the protocol's own clients for the wallet. */
async function readChain(...about: Parameters<typeof dAppAccepts>) {
  const [token, accepted] = await Promise.all([readToken(...about), dAppAccepts(...about)]);
  return { token, accepted, verdict: accepted ? 'valid' : 'not valid' };
}

function hasExpectedResult(
  stage: LifeStage,
  pass: PassRecord,
  { token, accepted }: Awaited<ReturnType<typeof readChain>>,
): boolean {
  const { state, onChainState, expiryTimestamp } = pass;
  const recorded = state === stage.state && onChainState === stage.state;
  return recorded && token?.state === state && token.expiry === expiryTimestamp && accepted === stage.accepted;
}

function describeToken(token: OnChainToken | undefined): string {
  if (token === undefined) return 'no token';
  return token.expiry === undefined
    ? token.state
    : `${token.state} until ${new Date(token.expiry * 1000).toISOString().slice(0, 10)}`;
}

function transactionOf({ events }: PassRecord): string {
  return events.findLast(({ transaction }) => transaction)?.transaction?.identifier ?? 'none';
}
