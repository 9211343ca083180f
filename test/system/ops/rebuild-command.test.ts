import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, it } from 'vitest';
import { startChild } from '../../../terminal/child-process.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';

/** `npm run rebuild` against a running service. */

const facts = inject('gatepass');
const folder = await mkdtemp(join(tmpdir(), 'gatepass-rebuild-'));
afterAll(() => rm(folder, { recursive: true }));

it('`npm run rebuild` finds the pass objects of a running service and sends all of them', async () => {
  const acme = new LocalnetPartner(facts, 'acme');
  const wallet = freshWallet('sepolia');
  await acme.issue('ethereum/sepolia', wallet);
  await acme.untilSettled('ethereum/sepolia', wallet);
  const localnet = join(folder, 'localnet.json');
  await writeFile(localnet, JSON.stringify(facts));
  const lines: string[] = [];
  const program = join(PROJECT, 'ops', 'rebuild.ts');
  const args = [program, '--shard', 'DB', '--local', '--localnet', localnet];
  const child = await startChild(process.execPath, args, { onLine: (line) => lines.push(line) });
  expect(await child.ended, lines.join('\n')).toBe(0);
  expect(lines.at(-1)).toMatch(
    /^rebuilt DB from [1-9]\d* objects: [1-9]\d* hold a pass of this shard, 0 a pass of another shard, \d+ no pass$/,
  );
});
