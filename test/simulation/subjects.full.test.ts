import { describe, expect, it } from 'vitest';
import { playRaces } from './run-races.ts';

it('500 races are right', async () => {
  const halves = await Promise.all([playRaces(51, 250), playRaces(301, 250)]);
  expect(halves.map(({ stdout }) => stdout)).toEqual([
    '250 of 250 races from seed 51 on are right.\n',
    '250 of 250 races from seed 301 on are right.\n',
  ]);
});

describe('the races find', () => {
  it.each([
    ['a subject that admits several at once', 'subject', 'this.#turn.then(run)', 'run()'],
    ['a subject that forgets those on their way', 'counted-passes', 'Date.now() < row.until + LANDING_MS', 'false'],
    ['a change that ends too early', 'subject', "return { end: 'later' };", "return { end: 'gone' };"],
    [
      'a state that a request passes by',
      'subject',
      'refusal() ?? (await ofRules()) ?? refusal()',
      'refusal() ?? (await ofRules())',
    ],
  ])('%s', async (_, file, text, becomes) => {
    const { stdout } = await playRaces(1, 100, [{ file: `subject-object/${file}.ts`, text, becomes }]);
    expect(stdout).toMatch(/^Race \d+ is wrong: /m);
  });
});
