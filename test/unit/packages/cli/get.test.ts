import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { runCli, variablesAt } from './run-cli.ts';

/** The command that prints the passes of a wallet. */

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';
const waitsFor = {
  code: 'queue',
  detail: 'The change waits in the queue of the gatekeeper network: 3 before it.',
  before: 3,
};

const aPass = (network: string, state: string, onChainState: string, ...eventTypes: string[]) => ({
  id: network,
  chain: { type: 'ethereum', network },
  walletAddress: WALLET,
  state,
  onChainState,
  events: eventTypes.map((eventType) => ({ eventType, timestamp: 1 })),
});
const SETTLED = aPass('base', 'ACTIVE', 'ACTIVE', 'TOKEN_ISSUED');
const REQUESTED = aPass('sepolia', 'REQUESTED', 'NONE', 'TOKEN_ISSUED_INITIATED');
const RENEWED = aPass('mainnet', 'ACTIVE', 'ACTIVE', 'TOKEN_ISSUED', 'TOKEN_EXPIRY_CHANGED_INITIATED');

/** Starts a service whose search never says why a pass waits, and returns the paths of its requests. */
async function serve(...passes: readonly object[]) {
  const paths: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    if (url !== '/token') paths.push(url);
    const one = { ...passes.find((each) => url.includes(`/${(each as typeof SETTLED).id}/`)), waitsFor };
    const body = url === '/token' ? { access_token: 'a' } : url === '/pass' ? { records: passes } : one;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { variables: variablesAt((server.address() as AddressInfo).port), paths };
}

it('says for each pass of a wallet why it waits, and fetches only these alone', async () => {
  const { variables, paths } = await serve(SETTLED, REQUESTED, RENEWED);
  const { code, stdout } = await runCli(['get', WALLET], variables);
  expect(code).toBe(0);
  expect(paths).toEqual(['/pass', `/pass/ethereum/sepolia/${WALLET}`, `/pass/ethereum/mainnet/${WALLET}`]);
  const lines = stdout.split('\n').filter((line) => line.startsWith('waits on'));
  expect(lines).toEqual(['sepolia', 'mainnet'].map((network) => `waits on ${network}: ${waitsFor.detail}`));
});

it('has the reason in the record with --json, and no line of its own', async () => {
  const { variables } = await serve(REQUESTED);
  const { stdout } = await runCli(['get', WALLET, '--network', 'sepolia', '--json'], variables);
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([{ ...REQUESTED, waitsFor }]);
});
