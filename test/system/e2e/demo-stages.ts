import { expect, onTestFinished } from 'vitest';
import { Deliveries } from '../../../tools/localnet/commands/demo/deliveries.ts';
import { runPassLife } from '../../../tools/localnet/commands/demo/run-pass-life.ts';
import { LIFE_STAGES } from '../../../tools/localnet/partner/pass-life.ts';
import { startReceiver } from '../../../tools/localnet/webhook/receiver.ts';

/** Runs the stages of the demo. Each must have its result, and the event of each must be delivered. */
export async function expectDemoStages(facts: Parameters<typeof runPassLife>[0], network: string): Promise<void> {
  const deliveries = new Deliveries();
  const receiver = await startReceiver((event) => deliveries.add(event));
  onTestFinished(() => receiver.stop());
  await receiver.register(facts);
  const outcomes = await runPassLife(facts, network, deliveries);
  expect(outcomes.map(({ isAsExpected }) => isAsExpected)).toEqual(LIFE_STAGES.map(() => true));
}
