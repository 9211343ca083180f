import type {
  EventToTrigger,
  Gatepass,
  SandboxClock,
  TriggeredEvent,
} from '../../../../packages/client/src/gatepass.ts';
import type { operations } from '../../../../packages/client/src/schema.ts';

/** Never runs. The type check fails if a marked line compiles, or if another line does not compile. */
export async function expectTypeErrors({ sandbox, get }: Gatepass): Promise<string> {
  const { now } = await sandbox.advanceClock(691_200);
  // @ts-expect-error: the duration is a number of seconds
  void sandbox.advanceClock('+8d');
  const { type, pass } = await sandbox.trigger({ type: 'pass.rejected' });
  void sandbox.trigger({ type: 'pass.issued', chain: { type: 'solana', network: 'devnet' } });
  // @ts-expect-error: the catalog has no such event
  void sandbox.trigger({ type: 'pass.lost' });
  // @ts-expect-error: sepolia is not a network of Solana
  void sandbox.trigger({ type: 'pass.issued', chain: { type: 'solana', network: 'sepolia' } });
  // @ts-expect-error: a notice has no pass
  void pass.walletAddress;
  // The triggered pass can be used as a key.
  const record = pass && (await get(pass));
  return `${now.toFixed()} ${type.toUpperCase()} ${record?.state}`;
}

type Json<Content> = Content extends { content: { 'application/json': infer Body } } ? Body : never;

/** The answers and the requests of the operations have these types. */
export const CLOCK: (answer: Json<operations['getClock']['responses'][200]>) => SandboxClock = (answer) => answer;
export const ADVANCED: (answer: Json<operations['advanceClock']['responses'][200]>) => SandboxClock = CLOCK;
export const TRIGGERED: (answer: Json<operations['triggerEvent']['responses'][202]>) => Pick<TriggeredEvent, 'type'> = (
  answer,
) => answer;
export const TRIGGERS: (type: EventToTrigger['type']) => Json<operations['triggerEvent']['requestBody']> = (type) => ({
  type,
});
