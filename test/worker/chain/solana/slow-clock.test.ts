import { base64 } from '@scure/base';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../eventually.ts';
import { type Alteration, alteredNodes } from '../altered-nodes.ts';
import { prepareAll, readAll } from '../ask.ts';
import { issueAnother, open } from './issuing.ts';
import { aStep, devnet, untilFinal } from './node.ts';
import { openAltered, scan } from './watching.ts';

/** A cluster whose clock is behind while it makes blocks, and endpoints that make none. Blocks come by themselves. */

const [NODE] = devnet().endpoints.map((endpoint) => endpoint()) as [string];
const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const BEHIND_SECONDS = 32 * 60;

afterEach(() => void vi.restoreAllMocks());

interface ShownAccount {
  readonly data: readonly [string, string];
}

/** Alters the account of the clock wherever an endpoint shows it. */
function alterClock(change: (data: DataView) => void): Alteration {
  const altered = (account: ShownAccount | null) => {
    if (account === null) return null;
    const data = Uint8Array.from(base64.decode(account.data[0]));
    change(new DataView(data.buffer));
    return { ...account, data: [base64.encode(data), 'base64'] };
  };
  return {
    alter: ({ method, params: [asked] }, { result, ...rest }) => {
      if (method === 'getAccountInfo' && asked === CLOCK)
        return { result: { ...result, value: altered(result.value) } };
      if (method !== 'getMultipleAccounts') return { ...rest, result };
      const value = (result.value as (ShownAccount | null)[]).map((account, index) =>
        asked[index] === CLOCK ? altered(account) : account,
      );
      return { result: { ...result, value } };
    },
  };
}

const slow = () =>
  alterClock((data) => data.setBigInt64(32, data.getBigInt64(32, true) - BigInt(BEHIND_SECONDS), true));

/** Shows the clock as it was when it was first shown. */
function stalled(): Alteration {
  let first: [slot: bigint, time: bigint] | undefined;
  return alterClock((data) => {
    first ??= [data.getBigInt64(0, true), data.getBigInt64(32, true) - BigInt(BEHIND_SECONDS)];
    data.setBigInt64(0, first[0], true);
    data.setBigInt64(32, first[1], true);
  });
}

const portOver = (...alterations: Alteration[]) => open({ endpoints: alteredNodes(NODE, ...alterations).urls });

describe('a cluster whose clock is 32 minutes behind while it makes blocks', () => {
  it.each([1, 2])('shows the tokens of a wallet at once, with %d endpoints', async (endpoints) => {
    const step = aStep();
    await issueAnother(step, 0);
    await untilFinal();
    const port = portOver(...Array.from({ length: endpoints }, slow));
    expect(await readAll(port, [step])).toMatchObject([{ type: 'read', onChain: { state: 'ACTIVE' } }]);
    // Each endpoint alone is believed once it has shown a second block.
    await eventually(async () => {
      expect(await prepareAll(port, [step])).toMatchObject([{ type: 'found', onChain: { state: 'ACTIVE' } }]);
      expect(await port.observe([step])).toMatchObject([[step, { final: { state: 'ACTIVE' } }]]);
    });
  });

  it('shows the watcher its history with two endpoints', async () => {
    const { watch: on } = openAltered(slow(), slow());
    await eventually(async () => expect((await scan(undefined, { on })).newest.at).toBeGreaterThan(0));
  });
});

describe('an endpoint whose clock and slot stand still', () => {
  it.each([1, 2])('shows nothing, with %d endpoints', async (endpoints) => {
    const step = aStep();
    await issueAnother(step, 0);
    await untilFinal();
    const port = portOver(...Array.from({ length: endpoints }, stalled));
    expect(await readAll(port, [step])).toMatchObject([{ type: 'unreadable' }]);
    expect(await prepareAll(port, [step])).toMatchObject([{ type: 'not-now', code: 'nodes-behind' }]);
  });
});
