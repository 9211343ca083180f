import { env } from 'cloudflare:workers';
import { expect, inject, it } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { signersOn } from '../../../src/config/signers.ts';
import { workerWith } from './api.ts';
import { newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { anOperator } from './operator.ts';

/** The operator's view of the watchers. */

const { ethereum: gatekeeper } = inject('localnet').gatekeeper;

it('shows the watcher of each enabled network with its state, also one that has not begun or does not answer', async () => {
  const gatekeeperNetwork = newGatekeeperNetwork();
  const status = {
    isOn: true,
    coveredUntil: 1_795_172_625,
    gaps: 1,
    unservedGaps: 1,
    waiting: 2,
    foreignChanges: 3,
    issuedByOthers: [{ gatekeeperNetwork, gatekeeper: null, tokens: 4, lastAt: 1_795_172_600 }],
    removedGatekeepers: [{ gatekeeperNetwork, gatekeeper }],
    why: 'no answer',
  };
  const getByName = (network: string) => ({
    status: async () => {
      if (network === 'devnet') throw new Error('the object was reset');
      if (network === 'sepolia') return status;
      return network === 'baseSepolia' ? { ...status, isOn: false, coveredUntil: null, why: null } : undefined;
    },
  });
  const ops = await anOperator({}, workerWith({ ...TRUSTING, WATCHERS: { getByName } }));
  const answer = await ops.call('GET', '/admin/watchers');
  expect(answer.status).toBe(200);
  const { watchers } = JSON.parse(answer.text);
  const config = configOf(env as Env);
  const enabled = config.networks.filter((network) => signersOn(config, network).length > 0);
  expect(watchers.map(({ network }: { network: string }) => network)).toEqual(enabled.map(({ network }) => network));
  const { isOn: _, ...known } = status;
  const of = (network: string) => watchers.find((each: { network: string }) => each.network === network);
  expect(of('sepolia')).toEqual({ network: 'sepolia', status: 'on', ...known });
  expect(of('baseSepolia')).toEqual({ network: 'baseSepolia', status: 'off', ...known, coveredUntil: null, why: null });
  expect(of('devnet')).toEqual({ network: 'devnet', status: 'unreachable' });
  const others = watchers.filter(
    ({ network }: { network: string }) => !['sepolia', 'baseSepolia', 'devnet'].includes(network),
  );
  expect(others.every(({ status }: { status: string }) => status === 'not-begun')).toBe(true);
});
