import type { PassRecord } from '../../../localnet/partner/partner-client.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { tokenOnChain, type WitnessedToken } from '../../../localnet/witness/witness.ts';
import { RECORD_MAX_EVENTS } from '../../../src/pass/record.ts';
import type { Asker } from './asker.ts';
import { type Census, censusOf } from './census.ts';
import { inParallel } from './in-parallel.ts';
import { gatekeeperNetworkOf, nameOf, type Subject } from './subject.ts';

/** What is wrong with a pass, when everything should have come to rest. */
export interface Difference {
  /** lost: accepted, not on chain; doubled: on chain more than once; different: record, chain and model disagree. */
  readonly is: 'lost' | 'doubled' | 'unsettled' | 'different';
  readonly what: string;
}

/** Compares record, chain and model of each pass. */
export async function verdictOn(
  subjects: readonly Subject[],
  asker: Asker,
  facts: LocalnetFacts,
): Promise<readonly Difference[]> {
  const networks = [...new Set(subjects.map(({ network }) => network))];
  const censuses = new Map<string, Census>();
  for (const network of networks) censuses.set(network, await censusOf(facts, network));
  const found = await inParallel(subjects, async (subject) => {
    const gatekeeperNetwork = gatekeeperNetworkOf(subject, facts);
    const census = censuses.get(subject.network) as Census;
    const [record, tokens, done, token] = await Promise.all([
      asker.recordOf(subject),
      census.tokens(subject.wallet, gatekeeperNetwork),
      census.done(subject.wallet, gatekeeperNetwork),
      tokenOnChain(facts.rpc[subject.network] ?? '', subject.wallet, gatekeeperNetwork),
    ]);
    return differences({ subject, record, tokens, done, token });
  });
  return found.flat();
}

interface Evidence {
  readonly subject: Subject;
  readonly record: PassRecord | undefined;
  /** How many there are. */
  readonly tokens: number;
  readonly done: Awaited<ReturnType<Census['done']>>;
  readonly token: WitnessedToken | undefined;
}

/** What the evidence shows, and should not. */
export function differences({ subject, record, tokens, done, token }: Evidence): Difference[] {
  const { model } = subject;
  const neverOnChain = record === undefined || record.onChainState === 'NONE';
  const isDue = neverOnChain ? 0 : 1;
  const claims: readonly (readonly [is: Difference['is'], holds: boolean, otherwise: string])[] = [
    ['lost', record !== undefined || !model.accepted, 'it was accepted, and there is no record'],
    ['lost', tokens >= isDue, `its record says ${record?.onChainState}, and there is no token`],
    ['doubled', tokens <= 1, `${tokens} tokens`],
    ['doubled', done.mints.length <= 1, `minted ${done.mints.length} times: ${done.mints}`],
    ['different', done.mints.length === tokens, `${tokens} tokens, minted ${done.mints.length} times`],
    ['different', tokens <= isDue, `it has a token, and its record says ${record?.onChainState ?? 'nothing'}`],
    ['different', (token?.state ?? 'NONE') === (record?.onChainState ?? 'NONE'), `the token is ${token?.state}`],
    ['different', livesAsLongAs(record, token), `the token lives until ${token?.expiry}`],
    ['different', isToldOf(record, done.all), `these succeeded on chain: ${done.all}`],
  ];
  const contradiction = model.seen(record);
  const found = claims.flatMap(([is, holds, otherwise]) => (holds ? [] : [{ is, what: otherwise }]));
  if (contradiction !== undefined) found.push({ is: 'different', what: contradiction });
  return found.map(({ is, what }, index) => {
    const evidence = index === 0 ? `; record: ${JSON.stringify(record)}` : '';
    return { is, what: `${nameOf(subject)}: ${what}${evidence}` };
  });
}

/** GatewayToken does not change the expiry of a frozen token: that waits for the unfreezing. */
export function livesAsLongAs(record: PassRecord | undefined, token: WitnessedToken | undefined): boolean {
  const waits = record?.state === 'FROZEN' && record.chain.type === 'ethereum';
  return token === undefined || waits || token.expiry === record?.expiryTimestamp;
}

/** Whether the record calls those confirmed that succeeded, and no others. A long one leaves events out. */
function isToldOf(record: PassRecord | undefined, succeeded: readonly string[]): boolean {
  const events = record?.events ?? [];
  const confirmed = events.flatMap(({ transaction }) =>
    transaction?.status === 'confirmed' ? [transaction.identifier] : [],
  );
  const isWhole = events.length < RECORD_MAX_EVENTS;
  return (
    confirmed.every((each) => succeeded.includes(each)) &&
    (!isWhole || succeeded.every((each) => confirmed.includes(each)))
  );
}
