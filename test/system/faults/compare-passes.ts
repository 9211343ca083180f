import type { PassRecord } from '../../../localnet/partner/partner-client.ts';
import type { LocalnetFacts } from '../../../localnet/state/localnet-facts.ts';
import { type OnChainToken, readToken } from '../../../localnet/witness/on-chain-token.ts';
import { RECORD_MAX_EVENTS } from '../../../src/pass/record.ts';
import type { ChainInventory, GatekeeperTransactions } from './chain-inventory.ts';
import { mapInParallel } from './map-in-parallel.ts';
import type { ModelClient } from './model-client.ts';
import { readInventory } from './read-inventory.ts';
import { gatekeeperNetworkOf, nameOf, type TestedPass } from './tested-pass.ts';

/** What is wrong with a pass after every change had time to settle. */
export interface Difference {
  /** lost: accepted, but not on chain; doubled: on chain more than once; different: record, chain and model disagree. */
  readonly type: 'lost' | 'doubled' | 'unsettled' | 'different';
  readonly description: string;
}

/** Compares record, chain and model of each pass; resolves to the differences. */
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

/** Returns what is wrong in the evidence about a pass. Pure, but for the model, which checks the record. */
export function differencesIn({ pass, record, tokens, transactions, token }: Evidence): Difference[] {
  const { model } = pass;
  const neverOnChain = record === undefined || record.onChainState === 'NONE';
  const isDue = neverOnChain ? 0 : 1;
  const claims: readonly (readonly [type: Difference['type'], holds: boolean, otherwise: string])[] = [
    ['lost', record !== undefined || !model.accepted, 'it was accepted, and there is no record'],
    ['lost', tokens >= isDue, `its record says ${record?.onChainState}, and there is no token`],
    ['doubled', tokens <= 1, `${tokens} tokens`],
    ['doubled', transactions.mints.length <= 1, `minted ${transactions.mints.length} times: ${transactions.mints}`],
    ['different', transactions.mints.length === tokens, `${tokens} tokens, minted ${transactions.mints.length} times`],
    ['different', tokens <= isDue, `it has a token, and its record says ${record?.onChainState ?? 'nothing'}`],
    ['different', (token?.state ?? 'NONE') === (record?.onChainState ?? 'NONE'), `the token is ${token?.state}`],
    ['different', hasExpiryOf(record, token), `the token lives until ${token?.expiry}`],
    ['different', showsTransactions(record, transactions.all), `these succeeded on chain: ${transactions.all}`],
  ];
  const contradiction = model.checkRead(record);
  const found = claims.flatMap(([type, holds, otherwise]) => (holds ? [] : [{ type, description: otherwise }]));
  if (contradiction !== undefined) found.push({ type: 'different', description: contradiction });
  return found.map(({ type, description }, index) => {
    const evidence = index === 0 ? `; record: ${JSON.stringify(record)}` : '';
    return { type, description: `${nameOf(pass)}: ${description}${evidence}` };
  });
}

/** Whether the token has the record's expiry. GatewayToken cannot change the expiry of a frozen token until it is unfrozen. */
export function hasExpiryOf(record: PassRecord | undefined, token: OnChainToken | undefined): boolean {
  const waits = record?.state === 'FROZEN' && record.chain.type === 'ethereum';
  return token === undefined || waits || token.expiry === record?.expiryTimestamp;
}

/** Whether the record shows exactly the transactions that succeeded as confirmed. A long record leaves events out. */
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
