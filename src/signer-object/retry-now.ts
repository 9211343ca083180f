import type { StuckStep } from './stuck-reason.ts';

/** Whatever keeps these steps waiting, they are tried again at once. */
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
  // How often it was paused stays: if nothing has been mended, the next pause is no shorter.
  if (pause !== undefined) kv.put('pause', { ...pause, until: 0 });
}
