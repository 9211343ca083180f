import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { simulate } from './run-command.ts';
import { addWork, type Work } from './world/work.ts';

/** Random worlds of the whole service. */

const REPLAYS = join(import.meta.dirname, 'replays');

/** How often everything happens in the first 300 worlds. */
const WORK = JSON.parse(readFileSync(join(import.meta.dirname, 'work.json'), 'utf8')) as Work;
const GROWTH = 'more work is a decision: if it is wanted, put the output of --seed 1 --runs 300 --work into work.json';

it('are right from the first 300 seeds, and do the work that is recorded', async () => {
  const halves = [1, 151].map((seed) => simulate(['--seed', String(seed), '--runs', '150', '--work']));
  const works = (await Promise.all(halves)).map(({ code, stdout }): Work => {
    expect(stdout).toMatch(/^150 of 150 worlds from seed \d+ on are right \([\d.]+ a second, \d+ tasks each\)\.$/m);
    expect(code).toBe(0);
    return JSON.parse(stdout.slice(0, stdout.lastIndexOf('}') + 1));
  });
  expect(works.reduce(addWork), GROWTH).toEqual(WORK);
});

it('are right from the first 100 seeds with contracts of the build SlimGateway', async () => {
  const { code, stdout } = await simulate(['--seed', '1', '--runs', '100', '--slim']);
  expect(stdout).toContain('100 of 100 worlds from seed 1 on are right');
  expect(code).toBe(0);
});

it('are the same again from the same seeds, whatever was played before', async () => {
  const digestsFrom = async (seed: number, runs: number) => {
    const { stdout } = await simulate(['--digest', '--seed', String(seed), '--runs', String(runs)]);
    return stdout.split('\n').slice(0, runs);
  };
  const [all, last] = await Promise.all([digestsFrom(1, 20), digestsFrom(11, 10)]);
  expect(new Set(all).size).toBe(20);
  expect(all.slice(10)).toEqual(last);
});

it('that were wrong once are right', async () => {
  const files = readdirSync(REPLAYS).flatMap((file) => ['--replay', join(REPLAYS, file)]);
  expect(await simulate(files)).toMatchObject({ code: 0, stdout: `The ${files.length / 2} worlds are right.\n` });
});

it('with a fault are found, made small, and told with a replay', async () => {
  const fault = [
    {
      file: 'store/usage.ts',
      text: "(new.state = 'ACTIVE') - coalesce",
      becomes: "(new.state = 'FROZEN') - coalesce",
    },
  ];
  const { code, stdout, stderr } = await simulate(['--seed', '1', '--runs', '3'], fault);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^\d worlds? (is|are) wrong$/m);
  const [, replay = ''] = /^Replay: (.*)$/m.exec(stdout) ?? [];
  expect(JSON.parse(replay).steps.length).toBeLessThan(4);
  expect(stdout).toMatch(/^ {2}- \S+ issues a pass of wallet \d on (sepolia|devnet)/m);
  expect(stdout).toMatch(/^ {2}- the usage counts -?\d+ active passes on (sepolia|devnet), and \d are$/m);
});
