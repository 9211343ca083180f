import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LONG } from '../form.ts';
import { type Fault, simulate } from './run-command.ts';

/** Many random worlds, by two processes, and some of them again. */

const WORLDS = LONG ? 100_000 : 10_000;
const AGAIN = 1_000;
const PROCESSES = 2;
/** It only ends a test that hangs: a busy machine plays three worlds a second. */
const HANGS_AFTER_MS = (WORLDS / 3) * 1_000;
/** Other worlds than those of the short form. */
const FIRST_SEED = 1_001;

it('are right, and have the same log again, byte for byte', { timeout: HANGS_AFTER_MS }, async () => {
  const runs = WORLDS / PROCESSES;
  const digests = async (seed: number, count: number) => {
    const { code, stdout } = await simulate(['--digest', '--seed', String(seed), '--runs', String(count)]);
    expect(stdout).toContain(`${count} of ${count} worlds`);
    expect(code).toBe(0);
    return stdout.split('\n').slice(0, AGAIN);
  };
  const [first] = await Promise.all(
    Array.from({ length: PROCESSES }, (_, part) => digests(FIRST_SEED + part * runs, runs)),
  );
  expect(new Set(first).size).toBe(AGAIN);
  expect(await digests(FIRST_SEED, AGAIN)).toEqual(first);
});

const REPLAYS = join(import.meta.dirname, 'replays');

it.each(readdirSync(REPLAYS))('that were wrong are wrong again with their fault: %s', async (name) => {
  const file = join(REPLAYS, name);
  const { fault } = JSON.parse(readFileSync(file, 'utf8')) as { readonly fault: Fault };
  const { code, stderr } = await simulate(['--replay', file], fault);
  expect(stderr).toContain('Then all faults end');
  expect(code).toBe(1);
});
