import { runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import type { Address, Instruction } from '@solana/kit';
import { afterEach, describe, expect, it } from 'vitest';
import { issue } from '../../../src/chain/solana/gateway.ts';
import { passName } from '../../../src/pass/pass.ts';
import type { Step } from '../../../src/pass/step.ts';
import { expectProblem } from '../../problem.ts';
import { acting, addressOf, aStep, byGatekeeper, callDevnet, change, untilFinal } from '../chain/solana/node.ts';
import type { PassRecord } from './answer.ts';
import { partner, workerWithoutQueue } from './api.ts';

/** `sync` on Solana, after the gatekeeper's key was used outside the service. */

const { PASSES } = env as Env;
const DEVNET = 'solana/devnet';
const acme = await partner('acme');
/** Its messages are lost, so no work starts by itself. */
const quietly = acme.through(workerWithoutQueue);

afterEach(() => callDevnet('localnet_heal'));

const typesOf = ({ events }: PassRecord) => events.map(({ eventType }) => eventType);
const isIssued = ({ onChainState }: PassRecord) => onChainState === 'ACTIVE';

/** Issues a pass, waits until it is final, and returns a step for changes of its token. */
async function anActivePass(): Promise<Step> {
  const step = aStep();
  await acme.issue(DEVNET, step.key.wallet);
  await acme.watch(DEVNET, step.key.wallet, isIssued);
  await untilFinal();
  return step;
}

const FREEZE = (step: Step) => change(step, 1);
const REVOKE = (step: Step) => change(step, 2);
const BURN = (step: Step) => change(step, undefined);

describe('changes outside the service on Solana', () => {
  it.each<[string, (step: Step) => Promise<Instruction>, Partial<PassRecord>, string]>([
    ['a freeze', FREEZE, { state: 'FROZEN', onChainState: 'FROZEN' }, 'TOKEN_FROZEN'],
    ['a revocation', REVOKE, { state: 'REVOKED', onChainState: 'REVOKED' }, 'TOKEN_REVOKED'],
    ['a burn', BURN, { state: 'REVOKED', onChainState: 'NONE' }, 'TOKEN_REVOKED'],
  ])('shows %s after a sync, and adopts it as the wanted state', async (_, deed, shows, event) => {
    const step = await anActivePass();
    const { wallet } = step.key;
    const { events } = (await acme.fetch(DEVNET, wallet)).record;
    await byGatekeeper(await deed(step));
    await untilFinal();
    const { status, record, text } = await acme.sync(DEVNET, wallet);
    expect([status, record]).toMatchObject([200, shows]);
    expect(record.events).toEqual([...events, { eventType: event, timestamp: expect.any(Number), byOthers: {} }]);

    await runDurableObjectAlarm(PASSES.getByName(passName(step.key)));
    await anActivePass();
    expect((await acme.fetch(DEVNET, wallet)).text).toBe(text);
  });

  it("adopts a token that the gatekeeper's key issued outside the service for a requested pass, and issues no second token", async () => {
    const step = aStep();
    const wallet = step.key.wallet as string as Address;
    await quietly.issue(DEVNET, wallet);
    await byGatekeeper(issue(await acting(step), wallet, await addressOf(step, 2), 1_900_000_000));
    const { record } = await quietly.sync(DEVNET, wallet);
    expect(record).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE', expiryTimestamp: 1_900_000_000 });
    expect(typesOf(record)).toEqual(['TOKEN_ISSUED_INITIATED', 'TOKEN_ISSUED']);
    await runDurableObjectAlarm(PASSES.getByName(passName(step.key)));
    await anActivePass();
    expect((await acme.fetch(DEVNET, wallet)).record).toEqual(record);
  });
});

it('changes nothing when nothing changed on chain', async () => {
  const { wallet } = (await anActivePass()).key;
  const before = (await acme.fetch(DEVNET, wallet)).text;
  expect((await acme.sync(DEVNET, wallet)).text).toBe(before);
  expect((await acme.fetch(DEVNET, wallet)).text).toBe(before);
});

it.each([
  ['returns 500', { http: 500 }],
  ['returns garbage', { garbage: true }],
  ['returns an error', { error: { code: -32005, message: 'Node is unhealthy' } }],
])('returns 503 and changes nothing when the node %s', async (_, how) => {
  const step = await anActivePass();
  const { wallet } = step.key;
  await byGatekeeper(await FREEZE(step));
  const before = (await acme.fetch(DEVNET, wallet)).text;
  await callDevnet('localnet_fail', { method: 'getMultipleAccounts', how });
  expectProblem(await acme.sync(DEVNET, wallet), 'temporarily_unavailable');
  expect((await acme.fetch(DEVNET, wallet)).text).toBe(before);
  await callDevnet('localnet_heal');
});
