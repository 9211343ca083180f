import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { beforeMeasure } from '../../../../tools/bench/measures/before.ts';

it.each([
  ['without a commit', undefined, '--only before needs --before COMMIT'],
  ['with a commit that does not exist', 'no-such-commit', 'git knows no commit no-such-commit'],
  ['with an option of git', '--remote=elsewhere', 'git knows no commit --remote=elsewhere'],
])('the comparison with an earlier commit is refused %s', async (_, before, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepass-test-'));
  const context = { quick: true, folder, before, atEnd: () => undefined, say: () => undefined };
  await expect(beforeMeasure.run(context)).rejects.toThrow(message);
  rmSync(folder, { recursive: true });
});
