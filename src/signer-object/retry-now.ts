import type { StuckStep } from './stuck-reason.ts';

/** Makes postponed and held steps due now, and ends the pauses of their lanes and of the signer. */
export function retryNow(
  { sql, kv }: DurableObjectStorage,
  steps: readonly Pick<StuckStep, 'id' | 'gatekeeperNetwork'>[],
): void {
  for (const { id, gatekeeperNetwork } of steps) {
    // The step of a suspended client waits until the client is resumed.
    sql.exec(
      `UPDATE step SET not_before = 0, parked = NULL
       WHERE id = ? AND NOT taken AND status IN ('waiting', 'signed') AND parked IS NOT 'suspended'`,
      id,
    );
    sql.exec('UPDATE lane SET paused_until = 0 WHERE gatekeeper_network = ?', gatekeeperNetwork);
  }
  const pause = kv.get<object>('pause');
  // Keep the number of pauses: if the cause remains, the next pause must not be shorter.
  if (pause !== undefined) kv.put('pause', { ...pause, until: 0 });
}
