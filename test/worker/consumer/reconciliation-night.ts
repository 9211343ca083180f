import { expect } from 'vitest';
import { reconcile } from '../../../src/consumer/reconcile.ts';
import { beginReconciliation } from '../../../src/consumer/run-schedule.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { openBackend } from '../../../src/operations/backend.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { lastRun } from '../../../src/store/runs.ts';
import { openStore } from '../../../src/store/store.ts';
import { seededPartner } from '../http/api.ts';
import { bindings } from './deliver.ts';

/** The nightly reconciliation with messages that the test makes and delivers. */

/** A pass of acme on sepolia. */
export const keyOf = (wallet: Wallet): PassKey => ({
  gatekeeperNetwork: seededPartner('acme').gatekeeperNetwork,
  chain: 'ethereum',
  network: 'sepolia',
  wallet,
});

/** Its row in the read model, with a way to change it. */
export const rowOf = ({ wallet }: PassKey) =>
  bindings.DB.prepare('SELECT * FROM passes WHERE wallet = ?').bind(wallet).first();
export const change = (set: string, { wallet }: PassKey) =>
  bindings.DB.prepare(`UPDATE passes SET ${set} WHERE wallet = ?`).bind(wallet).run();

/** Before the first night, in Unix seconds. */
export const NIGHT = 1_800_000_000;
let nights = 0;

/** Returns the counts of a run without the number of passes. */
const found = ({ passes: _, ...rest }: Record<string, number>) => rest;

/** A queue that stores its messages. */
export function aQueue() {
  const bodies: unknown[] = [];
  const queue = {
    send: async (body: unknown) => void bodies.push(body),
    sendBatch: async (messages: readonly { body: unknown }[]) => void bodies.push(...messages.map(({ body }) => body)),
  };
  return { bodies, env: { ...bindings, PASS_QUEUE: queue as unknown as Queue } };
}

/** Returns a message with that body, and a record of its acknowledgment. */
export function aMessage(body: unknown) {
  const told = { acked: false, retried: false };
  const message = {
    body,
    id: 'm',
    ack: () => void Object.assign(told, { acked: true }),
    retry: () => void Object.assign(told, { retried: true }),
  };
  return { told, message: message as unknown as Message };
}

/** Delivers messages to a consumer with these bindings. */
export const reconcileWith = (env: Env, messages: readonly Message[], most?: number) =>
  reconcile(messages, env, openBackend(env, openStore(env)), most);

/**
 * Runs one night of a Worker with other bindings: the cron, and then every message to the end.
 * @param most Maximum slices of that night.
 */
export async function aNight(changes: Partial<Env> = {}, most?: number) {
  nights += 1;
  const night = NIGHT + nights * 86_400;
  const { bodies, env } = aQueue();
  await beginReconciliation(night * 1000, env.PASS_QUEUE);
  const changed = { ...env, ...changes };
  let slices = 0;
  for (let body = bodies.shift(); body !== undefined; body = bodies.shift()) {
    const { told, message } = aMessage(body);
    await reconcileWith(changed, [message], most);
    expect(told).toEqual({ acked: true, retried: false });
    slices += 1;
  }
  const run = await lastRun(bindings.DB);
  return { slices, counts: found(run?.counts ?? {}), run };
}
