import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Chain } from '../../../src/network/network.ts';
import { CHAINS } from '../../../src/network/networks.ts';
import { newSandbox } from '../../../src/network/sandbox.ts';
import { type SandboxCase, sandboxWallet } from '../../../src/network/sandbox-wallets.ts';
import type { GatekeeperNetwork } from '../../../src/network/slot.ts';
import type { PassRecord } from '../http/answer.ts';
import { Api, register, seededPartner, tokenOf } from '../http/api.ts';
import { FAST, NETWORK_OF } from './a-simulation.ts';

/** The deterministic wallets through the API, with the queue, objects and alarms of a deployment. */

const gatekeeperNetwork: GatekeeperNetwork = newSandbox();
let api: Api;

beforeAll(async () => {
  await register({ ...seededPartner('acme'), gatekeeperNetwork });
  api = new Api(await tokenOf('acme'));
});

const sandbox = () => env.SANDBOXES.getByName(gatekeeperNetwork);

const hasEvent = (type: string) => (record: PassRecord) => record.events.some(({ eventType }) => eventType === type);

async function issue(chain: Chain, wallet: string) {
  const network = NETWORK_OF[chain];
  const { status } = await api.issue(network, wallet);
  expect(status).toBe(202);
  return { watch: async (until: (record: PassRecord) => boolean) => (await api.watch(network, wallet, until)).at(-1) };
}

describe.each(CHAINS)('on %s', (chain) => {
  const issueCase = (name: SandboxCase) => issue(chain, sandboxWallet(name, chain));

  it('any other wallet becomes ACTIVE with a transaction', async () => {
    const { watch } = await issue(chain, FAST[chain]);
    const record = await watch(({ state }) => state === 'ACTIVE');
    expect(record?.events.at(-1)).toMatchObject({ transaction: { status: 'confirmed' } });
  });

  it('"rejected" becomes REJECTED', async () => {
    const { watch } = await issueCase('rejected');
    await watch(({ state }) => state === 'REJECTED');
  });

  it('"reorged" is confirmed, reorged, and confirmed again by the same transaction', async () => {
    const { watch } = await issueCase('reorged');
    await watch(hasEvent('TOKEN_ISSUED_REORGED'));
    const record = await watch(
      ({ state, events }) => state === 'ACTIVE' && events.at(-1)?.eventType === 'TOKEN_ISSUED',
    );
    const sent = record?.events.flatMap(({ transaction }) => transaction?.identifier ?? []);
    expect(new Set(sent).size).toBe(1);
  });

  it('"reorged-and-dropped" is confirmed, reorged, and issued by another transaction', async () => {
    const { watch } = await issueCase('reorged-and-dropped');
    await watch(hasEvent('TOKEN_ISSUED_REORGED'));
    // The time of the sandbox ends the life of the dropped transaction.
    await sandbox().advance(3_600);
    const record = await watch(
      ({ state, events }) => state === 'ACTIVE' && events.at(-1)?.eventType === 'TOKEN_ISSUED',
    );
    const sent = record?.events.flatMap(({ transaction }) => transaction?.identifier ?? []);
    expect(new Set(sent).size).toBe(2);
  });

  it.each([
    ['revoked', 'REVOKED', 'TOKEN_REVOKED'],
    ['frozen', 'FROZEN', 'TOKEN_FROZEN'],
  ] as const)('"%s" is changed by others 30 seconds of the sandbox later', async (name, state, event) => {
    const { watch } = await issueCase(name);
    await watch((record) => record.state === 'ACTIVE');
    await sandbox().advance(30);
    const record = await watch((each) => each.state === state);
    expect(record?.events.at(-1)).toMatchObject({
      eventType: event,
      byOthers: {},
      transaction: { status: 'confirmed' },
    });
  });

  it('"adopted" becomes ACTIVE without a transaction', async () => {
    const { watch } = await issueCase('adopted');
    const record = await watch(({ state }) => state === 'ACTIVE');
    expect(record?.events.some(({ transaction }) => transaction !== undefined)).toBe(false);
  });

  it.each(['never-funded', 'node-away'] as const)(
    '"%s" stays REQUESTED, and the other wallets do not wait',
    async (name) => {
      const { watch } = await issueCase(name);
      const number = `${name.length}`.padStart(2, '0');
      const other = await issue(
        chain,
        chain === 'ethereum' ? `0x${'7'.repeat(38)}${number}` : 'Another'.padEnd(43, `${(name.length % 9) + 1}`),
      );
      await other.watch(({ state }) => state === 'ACTIVE');
      await watch(({ state }) => state === 'REQUESTED');
    },
  );
});
