import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CONTRACTS, compileSolidity } from '../../../../tools/contracts/compile.ts';
import { CONTRACTS_OF_STORIES, checkStories, storiesOf, useSlimChain } from './slim-chain.ts';
import { MUTATIONS } from './slim-mutations.ts';

/** The stories and their invariants find nearly every mutation of the contract. */

const STORIES = 250;
/** At least 38 of 40. */
const FOUND_SHARE_MIN = 38 / 40;

const source = readFileSync(join(CONTRACTS, 'SlimGateway.sol'), 'utf8');
const stories = storiesOf(STORIES);
const on = useSlimChain();

/** Compiles without the intermediate language, which means the same and takes a quarter of the time. */
const compile = (text: string) =>
  compileSolidity({ 'Mutant.sol': text }).contract('Mutant.sol', 'SlimGateway').deployedBytecode;

/** Returns the first fault in the stories with that code; undefined: the stories end as they should. */
async function findFault(text: string): Promise<string | undefined> {
  await on.ask('anvil_setCode', [CONTRACTS_OF_STORIES.slim, compile(text)]);
  return checkStories(on.ask, stories).then(
    () => undefined,
    (fault: Error) => fault.message,
  );
}

it('finds no fault in the contract itself', async () => {
  expect(await findFault(source)).toBeUndefined();
});

it(`finds at least 38 of 40 of the ${MUTATIONS.length} mutations`, async () => {
  expect(MUTATIONS.length).toBeGreaterThanOrEqual(40);
  const survivors: string[] = [];
  for (const [from, to] of MUTATIONS) {
    expect(source.split(from), from).toHaveLength(2);
    if ((await findFault(source.replace(from, () => to))) === undefined) survivors.push(`${from} => ${to}`);
  }
  console.log(`survivors: ${survivors.join('; ')}`);
  expect(1 - survivors.length / MUTATIONS.length, survivors.join('\n')).toBeGreaterThanOrEqual(FOUND_SHARE_MIN);
});
