import { RECORD_MAX_EVENTS } from '../../../src/pass/record.ts';
import type { PassRecord } from '../../../tools/localnet/partner/partner-client.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { type OnChainToken, readToken } from '../../../tools/localnet/witness/on-chain-token.ts';
import type { ChainInventory, GatekeeperTransactions } from './chain-inventory.ts';
import { mapInParallel } from './map-in-parallel.ts';
import type { ModelClient } from './model-client.ts';
import { readInventory } from './read-inventory.ts';
import { gatekeeperNetworkOf, nameOf, type TestedPass } from './tested-pass.ts';

/** A fault in a pass after every change had time to settle. */
export interface Difference {
  /**
   * - lost: the service accepted the pass, and the chain does not have it; or the feed or a receiver lacks an event
   * - doubled: the chain has the pass more than once, or the feed has the event more than once
   * - unsettled: the pass is not settled in time
   * - different: record, chain and model disagree, or so do feed and deliveries
   */
  readonly type: 'lost' | 'doubled' | 'unsettled' | 'different';
  readonly description: string;
}

/** Compares the record, the chain and the model of each pass. Resolves to the differences. */
export async function comparePasses(
  passes: readonly TestedPass[],
  modelClient: ModelClient,
  facts: LocalnetFacts,
): Promise<readonly Difference[]> {
  const networks = [...new Set(passes.map(({ network }) => network))];
  const inventories = new Map<string, ChainInventory>();
  for (const network of networks) inventories.set(network, await readInventory(facts, network));
  const found = await mapInParallel(passes, async (pass) => {
    const gatekeeperNetwork = gatekeeperNetworkOf(pass, facts);
    const inventory = inventories.get(pass.network) as ChainInventory;
    const [record, tokens, transactions, token] = await Promise.all([
      modelClient.recordOf(pass),
      inventory.countTokens(pass.wallet, gatekeeperNetwork),
      inventory.transactionsAbout(pass.wallet, gatekeeperNetwork),
      readToken(facts.rpc[pass.network] ?? '', pass.wallet, gatekeeperNetwork),
    ]);
    return differencesIn({ pass, record, tokens, transactions, token });
  });
  return found.flat();
}

interface Evidence {
  readonly pass: TestedPass;
  readonly record: PassRecord | undefined;
  /** The number of tokens on chain. */
  readonly tokens: number;
  readonly transactions: GatekeeperTransactions;
  readonly token: OnChainToken | undefined;
}

/** Returns the differences in the evidence about a pass. Pure, except that the model checks the record and may change. */
export function differencesIn({ pass, record, tokens, transactions, token }: Evidence): Difference[] {
  const { model } = pass;
  const neverOnChain = record === undefined || record.onChainState === 'NONE';
  const isDue = neverOnChain ? 0 : 1;
  const claims: readonly (readonly [type: Difference['type'], holds: boolean, otherwise: string])[] = [
    ['lost', record !== undefined || !model.accepted, 'the service accepted it, and it has no record'],
    ['lost', tokens >= isDue, `the record says ${record?.onChainState}, and the chain has no token`],
    ['doubled', tokens <= 1, `the chain has ${tokens} tokens`],
    [
      'doubled',
      transactions.mints.length <= 1,
      `the gatekeeper minted ${transactions.mints.length} times: ${transactions.mints}`,
    ],
    [
      'different',
      transactions.mints.length === tokens,
      `the chain has ${tokens} tokens of ${transactions.mints.length} mints`,
    ],
    ['different', tokens <= isDue, `the chain has a token, and the record says ${record?.onChainState ?? 'nothing'}`],
    ['different', (token?.state ?? 'NONE') === (record?.onChainState ?? 'NONE'), `the token is ${token?.state}`],
    ['different', hasExpiryOf(record, token), `the token expires at ${token?.expiry}`],
    [
      'different',
      showsTransactions(record, transactions.all),
      `the successful transactions on chain are ${transactions.all}`,
    ],
  ];
  const contradiction = model.checkRead(record);
  const found = claims.flatMap(([type, holds, otherwise]) => (holds ? [] : [{ type, description: otherwise }]));
  if (contradiction !== undefined) found.push({ type: 'different', description: contradiction });
  return found.map(({ type, description }, index) => {
    const evidence = index === 0 ? `; record: ${JSON.stringify(record)}` : '';
    return { type, description: `${nameOf(pass)}: ${description}${evidence}` };
  });
}

/** Whether the token has the record's expiry, or cannot have it yet: GatewayToken changes no expiry of a frozen token. */
export function hasExpiryOf(record: PassRecord | undefined, token: OnChainToken | undefined): boolean {
  const waits = record?.state === 'FROZEN' && record.chain.type === 'ethereum';
  return token === undefined || waits || token.expiry === record?.expiryTimestamp;
}

/** Whether the record's confirmed transactions are exactly the successful ones. A long record omits some events. */
function showsTransactions(record: PassRecord | undefined, succeeded: readonly string[]): boolean {
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
