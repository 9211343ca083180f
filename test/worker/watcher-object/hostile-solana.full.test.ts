import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { PassKey } from '../../../src/pass/pass.ts';
import { defaultContract } from '../../default-contract.ts';
import { eventually } from '../../eventually.ts';
import { type Alteration, alteredNodes } from '../chain/altered-nodes.ts';
import {
  aStep,
  byGatekeeper,
  change,
  devnet,
  makeSlotsByHand,
  untilConfirmed,
  untilFinal,
} from '../chain/solana/node.ts';
import { deliver, objectOf, processPass, recordOf } from '../consumer/deliver.ts';
import { partner } from '../http/api.ts';
import { coverageOf, nodeOf, TestWatcher, validityOf } from './a-watcher.ts';

/** A burned token whose issuance no endpoint lists. */

makeSlotsByHand();

await partner('acme');
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

async function anActivePass(): Promise<PassKey> {
  const { key } = aStep();
  await objectOf(key).issue({ key, shard: 'DB', contract: defaultContract(key), client: 'acme', waits: false });
  await eventually(async () => {
    await deliver(processPass(key));
    await untilConfirmed();
    expect((await recordOf(key))?.onChainState).toBe('ACTIVE');
  }, 50);
  await untilFinal();
  return key;
}

it('a burn by others is not forgotten if the nodes no longer list the issuance of the token', async () => {
  const key = await anActivePass();
  const { program } = devnet().network;
  // The node keeps a few days, or a stranger has named the address in many transactions.
  const short: Alteration = {
    alter: (call, answer) =>
      call.method === 'getSignaturesForAddress' && call.params[0] !== program
        ? { result: answer.result.slice(0, 1) }
        : answer,
  };
  const urls = alteredNodes(nodeOf('devnet'), short).urls.map((url) => url());
  const watcher = await TestWatcher.begin({ network: 'devnet', urls });
  await byGatekeeper(await change({ ...aStep(), key }, undefined));
  await watcher.interval();
  const first = await watcher.status();
  await untilFinal();
  await watcher.interval(2);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  vi.setSystemTime(Date.now() + 120_000);
  await watcher.interval(2);
  vi.useRealTimers();
  const status = await watcher.status();
  const { isPending, onChainState } = (await validityOf(key)) ?? {};
  const isForgotten = status.waiting === 0 && status.gaps === 0 && !isPending && onChainState === 'ACTIVE';
  expect({ first: first.waiting, isForgotten, covered: await coverageOf(key) }).toMatchObject({ isForgotten: false });
});
