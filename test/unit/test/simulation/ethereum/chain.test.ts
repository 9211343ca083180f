import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { FULL } from '../../../../form.ts';
import { questionsOfPool, questionsOfState, scripts, selectors, validities } from './random-script.ts';
import { readThroughAdapter } from './through-adapter.ts';
import { TwinChains } from './twin-chains.ts';

/** The chain of the simulation answers as a real node does whose chain has the real contract. */

const SEED = 20_261_129;
const RUNS = FULL ? 120 : 5;

let twins: TwinChains;
beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  twins = await TwinChains.open();
});
afterAll(async () => {
  vi.unstubAllGlobals();
  await twins.stop();
  vi.useRealTimers();
});

it(`answers as the real node does after each command of ${RUNS} random scripts`, async () => {
  const property = fc.asyncProperty(scripts, async (commands) => {
    await twins.begin();
    for (const [index, command] of commands.entries()) {
      const { head } = twins.chain;
      const compare = async () => {
        await command.run(twins);
        await twins.compare(questionsOfPool(twins));
        if (twins.chain.head === head) return;
        await twins.compare(questionsOfState(twins));
        await twins.expectFlags(validities(twins));
      };
      await compare().catch((fault) => {
        throw new Error(`after command ${index}, ${command}: ${fault}`, { cause: fault });
      });
    }
    await twins.compareReaders((url) => readThroughAdapter(url, twins));
  });
  await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
  expect(twins.compared.eth_call).toBeGreaterThan(RUNS * 1000);
  // Every function has succeeded and has failed.
  for (const [name, selector] of FULL ? selectors() : [])
    for (const succeeded of [true, false]) expect(twins.outcomes, name).toContain(`${selector} ${succeeded}`);
}, 600_000);
