import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, variablesAt } from './run-cli.ts';

/** A server with the deliveries of the service: oldest first, in pages. `test/system/packages/cli/commands.test.ts` runs the real one. */

const NEWEST = 1_060;
const now = Date.now();
const delivery = (number: number) => ({
  number,
  at: new Date(now - (NEWEST - number) * 60_000).toISOString(),
  type: number % 2 === 0 ? 'pass.issued' : 'pass.frozen',
  event: `event.${number}`,
  attempt: 1,
  outcome: number % 10 === 0 ? 'failed' : 'delivered',
  status: number % 10 === 0 ? 500 : 204,
  durationMs: 7,
});

const asked: string[] = [];
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
  asked.push(`${request.method} ${request.url}`);
  const after = Math.max(Number(searchParams.get('after')), 60);
  const limit = Number(searchParams.get('limit') ?? 100);
  const deliveries = Array.from({ length: Math.min(limit, NEWEST - after) }, (_, index) => delivery(after + index + 1));
  const next = deliveries.at(-1)?.number ?? after;
  const body =
    pathname === '/token'
      ? { access_token: 'a', token_type: 'bearer' }
      : { deliveries, next, more: next < NEWEST, secret: 'whsec_new', previousValidUntil: 'tomorrow' };
  response.writeHead(request.method === 'DELETE' ? 204 : 200, { 'content-type': 'application/json' });
  response.end(request.method === 'DELETE' ? undefined : JSON.stringify(body));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());

const webhooks = (...args: string[]) =>
  runCli(['webhooks', ...args], variablesAt((server.address() as AddressInfo).port));
async function numbersOf(...args: string[]): Promise<number[]> {
  const { stdout } = await webhooks('deliveries', 'an-id', '--json', ...args);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).number);
}

describe('gatepass webhooks deliveries', () => {
  it('prints the newest ones, newest first', async () => {
    expect(await numbersOf('--limit', '3')).toEqual([1_060, 1_059, 1_058]);
    expect(await numbersOf('--limit', '2000')).toHaveLength(1_000);
    const table = await webhooks('deliveries', 'an-id', '--limit', '2');
    expect(table.stdout).toMatch(/^number .*\n1060 .* failed +500 +7 ms\n1059 .* delivered +204 +7 ms\n$/);
    expect(table).toMatchObject({ code: 0, stderr: 'the newest 2 of 1000. --limit gives more\n' });
  });

  it('filters by outcome, type and time', async () => {
    expect(await numbersOf('--status', 'failed', '--limit', '2')).toEqual([1_060, 1_050]);
    expect(await numbersOf('--status', 'delivered', '--type', 'pass.issued', '--limit', '2')).toEqual([1_058, 1_056]);
    expect(await numbersOf('--type', 'pass.frozen,pass.issued', '--limit', '2')).toEqual([1_060, 1_059]);
    // A minute lies between two deliveries, and the test takes less than that.
    expect(await numbersOf('--since', '150s')).toEqual([1_060, 1_059, 1_058]);
    expect(await numbersOf('--since', new Date(now - 61_000).toISOString())).toEqual([1_060, 1_059]);
    const none = await webhooks('deliveries', 'an-id', '--status', 'given_up');
    expect(none).toEqual({ code: 0, stdout: '', stderr: 'no deliveries\n' });
  });

  it('refuses another outcome and another time', async () => {
    expect(await webhooks('deliveries', 'an-id', '--status', 'lost')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are delivered, failed, given_up.'),
    });
    expect(await webhooks('deliveries', 'an-id', '--since', 'noon')).toMatchObject({ code: 2 });
  });
});

describe('a destruction', () => {
  it.each([
    ['remove', 'DELETE /webhooks/an-id', 'the deletion'],
    ['rotate-secret', 'POST /webhooks/an-id/rotate-secret', 'the rotation'],
  ])('%s needs --yes without a terminal, and sends nothing without it', async (verb, request, deed) => {
    asked.length = 0;
    const refused = { code: 2, stdout: '', stderr: `there is no terminal to confirm ${deed}: add --yes\n` };
    expect(await webhooks(verb, 'an-id')).toEqual(refused);
    expect(asked).toEqual([]);
    expect(await webhooks(verb, 'an-id', '--yes')).toMatchObject({ code: 0 });
    expect(asked).toContain(request);
  });
});
