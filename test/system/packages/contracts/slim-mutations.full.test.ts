import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CONTRACTS, compileSolidity } from '../../../../tools/contracts/compile.ts';
import { callsOf, checkMalformed, checkNames, NAME_LENGTHS } from './slim-calls.ts';
import { CONTRACTS_OF_STORIES, checkStories, storiesOf, useSlimChain } from './slim-chain.ts';
import type { Contracts } from './slim-judge.ts';
import { BROKEN_INVARIANTS, MUTATIONS, TAKES_OTHER_BYTES } from './slim-mutations.ts';

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

const install = (text: string) => on.ask('anvil_setCode', [CONTRACTS_OF_STORIES.slim, compile(text)]);

/** Returns the contract with the mutation. Its text occurs once. */
function mutate(from: string, to: string): string {
  expect(source.split(from), from).toHaveLength(2);
  return source.replace(from, () => to);
}

/** Returns the first fault in the stories with that code; undefined: the stories end as they should. */
async function findFault(text: string, contracts?: Contracts): Promise<string | undefined> {
  await install(text);
  return checkStories(on.ask, stories, contracts).then(
    () => undefined,
    (fault: Error) => fault.message,
  );
}

async function checkInput(): Promise<void> {
  await checkMalformed(on.ask, callsOf(false));
  await checkNames(on.ask, NAME_LENGTHS);
}

it('finds no fault in the contract itself', async () => {
  expect(await findFault(source)).toBeUndefined();
  await checkInput();
});

it(`finds at least 38 of 40 of the ${MUTATIONS.length} mutations`, async () => {
  expect(MUTATIONS.length).toBeGreaterThanOrEqual(40);
  const survivors: string[] = [];
  for (const [from, to] of MUTATIONS) {
    if ((await findFault(mutate(from, to))) === undefined) survivors.push(`${from} => ${to}`);
  }
  console.log(`survivors: ${survivors.join('; ')}`);
  expect(1 - survivors.length / MUTATIONS.length, survivors.join('\n')).toBeGreaterThanOrEqual(FOUND_SHARE_MIN);
});

it.each(BROKEN_INVARIANTS)('finds without the contract 0.8.0: %s', async (_, from, to, fault) => {
  expect(await findFault(mutate(from, to), { slim: CONTRACTS_OF_STORIES.slim, old: undefined })).toMatch(fault);
});

it.each(TAKES_OTHER_BYTES)('finds by malformed calls and names: %s', async (_, from, to) => {
  await install(mutate(from, to));
  await expect(checkInput()).rejects.toThrow(/deeply equal/);
});
