import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCli, variablesAt } from './run-cli.ts';

/** The commands that change all passes of a person, beside a service that plays its answers. */

const SUBJECT = 'p-7f3c9a51e2';
const AT = '2026-11-20T11:03:45.123Z';
const REQUEST = { state: 'FROZEN', requestId: 'r', requestedAt: AT, total: 2, done: 0, refused: {} };
const aPass = (walletAddress: string, state: string, onChainState = state) => ({
  ...{ id: walletAddress, chain: { type: 'ethereum', network: 'sepolia' }, walletAddress, state, onChainState },
  ...{ valid: false, events: [], subject: SUBJECT },
});
const changed = (request: object = REQUEST) => ({ subject: SUBJECT, state: 'FROZEN', passes: 2, requests: [request] });
const ended = (more: object = {}) => ({ ...REQUEST, done: 2, finishedAt: AT, ...more });

/** Starts a service that gives these answers in sequence. Returns the requests with their bodies. */
async function serve(...answers: readonly object[]) {
  const left = [...answers];
  const requests: string[] = [];
  const server = createServer(async (request, response) => {
    const { url = '', method } = request;
    let body = '';
    for await (const chunk of request) body += chunk;
    const isToken = url === '/token';
    if (!isToken) requests.push([method, url, body].filter(Boolean).join(' '));
    const answer = isToken ? { access_token: 'a' } : (left.shift() ?? {});
    const status = (answer as { status?: number }).status ?? 200;
    response.writeHead(status, { 'content-type': 'application/json', 'preference-applied': 'wait=20' });
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { variables: variablesAt((server.address() as AddressInfo).port), requests };
}

describe('freeze --subject', () => {
  it('waits until the chain has the change of each pass', async () => {
    const found = { records: [aPass('0x1', 'FROZEN'), aPass('0x2', 'FROZEN', 'ACTIVE')] };
    const { variables, requests } = await serve(changed(), changed(ended()), found, aPass('0x2', 'FROZEN'));
    const run = await runCli(['freeze', '--subject', SUBJECT, '--reason', 'case 7'], variables);
    expect(run).toEqual({ code: 0, stdout: `${SUBJECT}  FROZEN  2 passes\n`, stderr: '' });
    expect(requests).toEqual([
      `PATCH /subjects/${SUBJECT} {"state":"FROZEN","reason":"case 7"}`,
      `GET /subjects/${SUBJECT}?limit=1`,
      `POST /pass {"filter":{"subject":"${SUBJECT}"},"limit":100}`,
      'GET /pass/ethereum/sepolia/0x2',
    ]);
  });

  it('returns with --no-wait when the service has accepted it', async () => {
    const { variables, requests } = await serve(changed());
    const run = await runCli(['freeze', '--subject', SUBJECT, '--no-wait'], variables);
    expect(run).toMatchObject({ code: 0, stdout: `${SUBJECT}  FROZEN  2 passes\n` });
    expect(requests).toHaveLength(1);
  });

  it('ends with code 1 and the passes that the chain has refused, or that could not follow', async () => {
    const found = { records: [aPass('0x2', 'FROZEN', 'ACTIVE')] };
    const refused = ended({ refused: { issued_by_another_gatekeeper: 1 } });
    const { variables } = await serve(changed(refused), found, aPass('0x2', 'ACTIVE'));
    const run = await runCli(['freeze', '--subject', SUBJECT], variables);
    expect(run).toMatchObject({ code: 1, stderr: '  issued_by_another_gatekeeper: 1\n' });
    expect(run.stdout).toMatch(/0x2 +ACTIVE/);
  });

  it('says that a newer change has replaced it', async () => {
    const newer = changed({ ...REQUEST, requestId: 'other' });
    const { variables } = await serve(changed(), newer);
    const { code, stderr } = await runCli(['freeze', '--subject', SUBJECT], variables);
    expect([code, stderr]).toEqual([1, `a newer request has replaced this change of ${SUBJECT}\n`]);
  });
});

describe('get --subject', () => {
  const shown = { ...changed(ended({ refused: { quota_reached: 1 } })), passes: { FROZEN: 1, REVOKED: 1 } };

  it('prints the state, the newest changes and the first passes', async () => {
    const { variables } = await serve({ ...shown, records: [aPass('0x1', 'FROZEN')], next: 'a' });
    const { code, stdout, stderr } = await runCli(['get', '--subject', SUBJECT], variables);
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      `${SUBJECT}  FROZEN  1 frozen  1 revoked`,
      `${AT}  FROZEN  2 of 2 passes  ended ${AT}  quota_reached: 1`,
      '',
      expect.stringMatching(/^network .* subject +last event$/),
    ]);
    expect(stderr).toBe('the first 1 passes. gatepass search --subject gives more\n');
  });

  it('prints the answer as a line of JSON', async () => {
    const { variables } = await serve({ ...shown, records: [] });
    const { stdout } = await runCli(['get', '--subject', SUBJECT, '--json'], variables);
    expect(JSON.parse(stdout)).toEqual({ ...shown, records: [] });
  });
});

it('the usage counts subjects', async () => {
  const network = { chain: { network: 'sepolia' }, issued: 1, renewed: 0, revoked: 0, active: 1 };
  const usage = { month: '2026-11', networks: [network], subjects: { count: 7, passes: 9 } };
  const { variables, requests } = await serve(usage);
  const { stdout } = await runCli(['usage', '--subjects'], variables);
  expect(requests).toEqual(['GET /usage?subjects=true']);
  expect(stdout).toMatch(/\n\nsubjects with an active pass: 7, with 9 of these passes\n$/);
});
