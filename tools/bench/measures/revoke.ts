import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, toFunctionSelector } from 'viem';
import { Failure } from '../../../terminal/failure.ts';
import { type ContractNode, openContractNode } from '../../localnet/ethereum/contract-node.ts';
import { freshWallet } from '../../localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../localnet/partner/localnet-partner.ts';
import { NEIGHBOR } from '../dataset.ts';
import { type Caller, CONNECTIONS_COUNT, startCaller } from '../load.ts';
import type { Measure, Outcome } from '../measure.ts';
import { issuanceRequests } from '../settlement/issue-all.ts';
import { startSettlementLocalnet } from '../settlement/localnet.ts';
import { buildService, type Service, startService } from '../settlement/service.ts';

const NETWORK = 'sepolia';
const BLOCK_MS = 2_500;
/** Room for 220 mints of 272k gas in a block. */
const BLOCK_GAS = 60_000_000n;
const POLL_INTERVAL_MS = 100;
const TIMEOUT_MS = 300_000;
const REVOKE = toFunctionSelector('revoke(uint256)');

interface Pending {
  readonly hash: Hex;
  readonly input: Hex;
  readonly nonce: unknown;
}

/**
 * How soon a revocation is sent, and how soon it is in a block, behind thousands of issuances. All messages of the issuances go to the
 * consumer at once, and the revocation is requested right after.
 */
export const revokeMeasure: Measure = {
  name: 'revoke',
  async run(context) {
    const localnet = await startSettlementLocalnet(context, NETWORK, BLOCK_MS);
    const node = openContractNode(localnet.rpc[NETWORK] as string);
    await node.setBlockGasLimit({ gasLimit: BLOCK_GAS });
    const built = await buildService(context, 'tools/bench/counting/queue-control/worker.ts');
    const service = await startService(context, { built, localnet, settings: { blockMs: BLOCK_MS } });
    const caller = await startCaller();
    context.atEnd(caller.stop);
    const neighbor = new LocalnetPartner(service.localnet, NEIGHBOR.name);
    const others = { authorization: `Bearer ${await neighbor.token()}`, 'content-type': 'application/json' };
    const crowds = [
      { whose: 'of the same partner', count: context.quick ? 1_000 : 3_000, headers: service.headers },
      { whose: 'of another partner', count: context.quick ? 2_000 : 10_000, headers: others },
    ];
    const outcomes: Outcome[] = [];
    for (const { whose, count, headers } of crowds) {
      const wallet = freshWallet(NETWORK);
      await service.client.issue(NETWORK, wallet);
      await untilSettled([service.client, neighbor]);
      const { sent, ahead, blocks, seconds } = await revokeBehind(service, caller, node, wallet, { headers }, count);
      const what = `a revocation behind ${count.toLocaleString('en')} issuances ${whose}`;
      context.say(
        `${what}: sent after ${sent.toFixed(1)} s behind ${ahead} transactions, ${seconds.toFixed(1)} s to its block`,
      );
      outcomes.push(
        { what: `${what}: until a node has it`, unit: 's', value: sent, targets: [{ of: 'value', atMost: 3 }] },
        {
          what: `${what}: blocks after the last transaction before it`,
          unit: 'blocks',
          value: blocks,
          targets: [{ of: 'value', atMost: 2 }],
        },
      );
      await untilSettled([service.client, neighbor]);
    }
    return outcomes;
  },
};

async function revokeBehind(
  service: Service,
  caller: Caller,
  node: ContractNode,
  wallet: string,
  crowd: Pick<Service, 'headers'>,
  count: number,
) {
  await command(service, 'hold');
  const requests = issuanceRequests(NETWORK, count, crowd);
  await caller.send({ url: service.baseUrl, requests, connections: CONNECTIONS_COUNT });
  await command(service, 'release');
  const begun = performance.now();
  const secondsSince = () => (performance.now() - begun) / 1_000;
  const revoked = service.client.revoke(NETWORK, wallet);
  let found: { readonly own: Pending; readonly before: readonly Pending[] } | undefined;
  while (found === undefined) {
    const pending = await pendingTransactions(node);
    const own = pending.find(({ input }) => input.startsWith(REVOKE));
    if (own !== undefined) found = { own, before: pending.filter(({ nonce }) => Number(nonce) < Number(own.nonce)) };
    else if (secondsSince() * 1_000 > TIMEOUT_MS) throw new Failure('the revocation was not sent');
    else await sleep(POLL_INTERVAL_MS);
  }
  const sent = secondsSince();
  const last = found.before.toSorted((a, b) => Number(b.nonce) - Number(a.nonce))[0];
  const block = await untilMined(node, found.own.hash);
  const seconds = secondsSince();
  const lastBlock = last === undefined ? block : await untilMined(node, last.hash);
  await revoked;
  return { sent, ahead: found.before.length, blocks: block - lastBlock, seconds };
}

/** Returns the transactions that wait for a block. */
async function pendingTransactions(node: ContractNode): Promise<Pending[]> {
  const { pending, queued } = await node.getTxpoolContent();
  return [...Object.values(pending), ...Object.values(queued)].flatMap((each) => Object.values(each));
}

/** Returns the number of the block of a transaction, once one includes it. */
async function untilMined(node: ContractNode, hash: Hex): Promise<number> {
  const { blockNumber } = await node.waitForTransactionReceipt({
    hash,
    pollingInterval: POLL_INTERVAL_MS,
    timeout: TIMEOUT_MS,
  });
  return Number(blockNumber);
}

async function untilSettled(clients: readonly LocalnetPartner[]): Promise<void> {
  const filter = { state: 'REQUESTED' } as const;
  for (const client of clients) while ((await client.search({ limit: 1, filter })).length > 0) await sleep(1_000);
}

async function command({ baseUrl }: Service, what: string): Promise<void> {
  const { ok } = await fetch(`${baseUrl}/__queue/${what}`, { method: 'POST' });
  if (!ok) throw new Failure(`the queue did not ${what} messages`);
}
