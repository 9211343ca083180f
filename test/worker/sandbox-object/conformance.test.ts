import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ChainPort, InFlightTransaction, Signed } from '../../../src/chain/port.ts';
import type { Chain } from '../../../src/network/network.ts';
import { CHAINS } from '../../../src/network/networks.ts';
import type { Step } from '../../../src/pass/step.ts';
import type { StepKind } from '../../../src/pass/step-kinds.ts';
import { broadcastAll, prepareAll, readAll, trackAll } from '../chain/ask.ts';
import { open as openEthereum } from '../chain/ethereum/issuing.ts';
import { aStep as ethereumStep, makeBlocksByHand, mine } from '../chain/ethereum/node.ts';
import { open as openSolana } from '../chain/solana/issuing.ts';
import { makeSlotsByHand, aStep as solanaStep, untilConfirmed, untilFinal } from '../chain/solana/node.ts';
import { type TestedSandbox, withSimulation } from './a-simulation.ts';

/** The same operations on the real adapters and on the adapter of a sandbox, with answers of the same types and fields. */

makeBlocksByHand();
makeSlotsByHand();

/** A chain whose blocks the test makes. */
interface Side {
  readonly port: ChainPort;
  confirm(): Promise<unknown>;
  finish(): Promise<unknown>;
}

const REAL: Readonly<Record<Chain, () => Side>> = {
  ethereum: () => ({ port: openEthereum(), confirm: () => mine(), finish: () => mine(4) }),
  solana: () => ({ port: openSolana(), confirm: untilConfirmed, finish: untilFinal }),
};

const simulated = (sandbox: TestedSandbox, chain: Chain): Side => ({
  port: sandbox.port(chain),
  confirm: async () => sandbox.wait(250),
  finish: async () => sandbox.wait(1_000),
});

const LATER = 2_000_000_000;

/** Returns what the side answers to each operation of a pass's life, by the name of the operation. */
async function liveOn({ port, confirm, finish }: Side, first: Step): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  const note = async (name: string, answer: Promise<unknown>) => {
    answers[name] = await answer;
  };
  const stepFor = (kind: StepKind, expiry?: number): Step => ({ ...first, kind, expiry });
  const questions = [{ key: first.key, contract: first.contract }];
  const look = async (when: string) => {
    await note(`read ${when}`, readAll(port, questions));
    const observed = await port.observe(questions);
    answers[`observe ${when}`] = observed.map(([, observation]) => observation);
  };

  await look('before');
  await note('account', port.account());
  await note('finalNonce', port.finalNonce());
  await note('gap fillers', port.signGapFillers([1_000]));
  for (const kind of ['freeze', 'unfreeze', 'set-expiry', 'revoke'] as const)
    await note(`prepare ${kind} without a token`, prepareAll(port, [stepFor(kind, LATER)]));

  const change = async (name: string, step: Step) => {
    const { results, ...conditions } = await port.prepare([{ step }], 0);
    const result = results[0]?.[1];
    answers[`prepare ${name}`] = { result, ...conditions };
    if (result?.type !== 'ready') return;
    const nonce = conditions.nonces?.pending;
    const sent: Signed = await result.sign(nonce, conditions.lifetime);
    answers[`sign ${name}`] = sent;
    const { identifier, lastValidBlockHeight } = sent;
    const flight = (includedIn?: InFlightTransaction['includedIn']) =>
      trackAll(port, [
        { step, identifiers: [identifier], lastValidBlockHeight, nonce, signedAtMs: Date.now(), includedIn },
      ]);
    await note(`track unsent ${name}`, flight());
    await note(`broadcast ${name}`, broadcastAll(port, [sent]));
    await note(`broadcast ${name} again`, broadcastAll(port, [sent]));
    await note(`track sent ${name}`, flight());
    await confirm();
    const [status] = await flight();
    answers[`track ${name} in a block`] = status;
    if (status?.type !== 'confirmed') return;
    await note(`track confirmed ${name}`, flight(status.includedIn));
    await look(`after ${name}`);
    await note(`prepare freeze before ${name} is final`, prepareAll(port, [stepFor('freeze')]));
    await finish();
    await note(`track final ${name}`, flight(status.includedIn));
    await look(`when ${name} is final`);
  };
  await change('issue', stepFor('issue', LATER));
  await change('a second issue', stepFor('issue', LATER));
  await change('freeze', stepFor('freeze'));
  await note('prepare freeze of a frozen token', prepareAll(port, [stepFor('freeze')]));
  await note('prepare set-expiry of a frozen token', prepareAll(port, [stepFor('set-expiry', LATER + 1)]));
  await change('unfreeze', stepFor('unfreeze'));
  await change('set-expiry', stepFor('set-expiry', LATER + 2));
  await note('prepare to clear the expiry', prepareAll(port, [stepFor('set-expiry')]));
  await change('revoke', stepFor('revoke'));
  await change('a second revoke', stepFor('revoke'));
  return answers;
}

/** The fields whose values must agree. */
const KEPT = ['type', 'state', 'code', 'expiry', 'blocks', 'why', 'reason', 'foreign'];

/** Returns the value in which types replace the values that differ from chain to chain. */
function shapeOf(value: unknown, field = ''): unknown {
  if (Array.isArray(value)) return value.map((each) => shapeOf(each));
  if (typeof value === 'object' && value !== null) {
    const parts = Object.entries(value).filter(([, part]) => part !== undefined);
    return Object.fromEntries(parts.map(([name, part]) => [name, shapeOf(part, name)]));
  }
  return KEPT.includes(field) ? value : typeof value;
}

describe.each(CHAINS)('on %s', (chain) => {
  let real: Record<string, unknown>;

  beforeAll(async () => {
    real = await liveOn(REAL[chain](), (chain === 'ethereum' ? ethereumStep : solanaStep)());
  });
  afterAll(() => void vi.useRealTimers());

  it('a sandbox gives answers of the same types and fields as the real adapter', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    await withSimulation(async (sandbox) => {
      const step = (chain === 'ethereum' ? ethereumStep : solanaStep)();
      expect(shapeOf(await liveOn(simulated(sandbox, chain), step))).toEqual(shapeOf(real));
    });
  });

  it('the life has every state of a transaction, so that the comparison is not empty', () => {
    const text = JSON.stringify(real, (_, value) => (typeof value === 'bigint' ? String(value) : value));
    for (const type of ['unconfirmed', 'confirmed', 'still-included', 'final', 'ready', 'found', 'accepted'])
      expect(text).toContain(`"type":"${type}"`);
  });
});
