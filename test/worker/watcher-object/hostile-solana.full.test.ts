import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type Alteration, alteredNodes } from '../chain/altered-nodes.ts';
import { devnet, makeSlotsByHand, untilFinal } from '../chain/solana/node.ts';
import { partner } from '../http/api.ts';
import { coverageOf, nodeOf, TestWatcher, validityOf } from './a-watcher.ts';
import { anActivePass, BURN, changedByOther } from './others-on-solana.ts';

/** A burned token whose issuance no endpoint lists. */

makeSlotsByHand();

await partner('acme');
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => undefined));
afterEach(() => void vi.restoreAllMocks());

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
  await changedByOther(key, BURN);
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
