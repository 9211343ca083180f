import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { runDoctor, spawnDoctor } from './run-doctor.ts';

/** Runs `npm run doctor` without a service: its usage, and its findings about the template of a deployment. */

const folder = mkdtempSync(join(tmpdir(), 'gatepass-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('prints its usage for --help and exits with 0', async () => {
  const { code, lines } = await runDoctor(['--local', '--help']);
  expect(lines[0]).toMatch(/^Usage: npm run doctor -- /);
  expect(code).toBe(0);
});

it('names the command that prints its usage after the error of an unknown option, and exits with 2', async () => {
  const { code, lines } = await spawnDoctor(['--nope']);
  expect(lines).toEqual(["unknown option '--nope'", 'Usage: npm run doctor -- --help']);
  expect(code).toBe(2);
});

it('exits with 2 if the environment does not exist', async () => {
  const { code, lines } = await runDoctor(['--env', 'prodution']);
  expect([code, lines]).toEqual([2, [expect.stringMatching(/^there is no deployment "prodution": /)]]);
});

it('reports the placeholders of the example and skips the checks that depend on them', async () => {
  const secrets = join(folder, 'secrets');
  writeFileSync(secrets, "ETHEREUM_GATEKEEPER_KEY='planted7f3a'\nRPC_ENDPOINTS='{}'\n");
  const { code, lines, line } = await runDoctor(['--env', 'example', '--secrets', secrets]);
  expect(line('variables')).toMatch(/^FAIL deployments\/example\.toml has wrong vars: \w+ must name a public host/);
  expect(line('databases')).toMatch(/^FAIL DB has no database_id -> run `npx wrangler d1 create gatepass-example`/);
  for (const name of ['secrets', 'issuer', 'migrations', 'networks', 'service']) {
    expect(line(name)).toMatch(/^-- not checked: /);
  }
  expect(lines.at(-1)).toBe('0 ok, 2 failed, 5 not checked, 1 for you to judge');
  expect(lines.join()).not.toContain('planted7f3a');
  expect(code).toBe(1);
});
