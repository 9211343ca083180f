import type { events, passes, transactions } from './schema.ts';

type Pass = typeof passes.$inferSelect;
type Event = Pick<typeof events.$inferSelect, 'eventType' | 'timestamp'>;
type Transaction = typeof transactions.$inferSelect;

/** Returns the record of a pass. */
export function recordOf(pass: Pass & { events: readonly (Event & { transaction: Transaction | null })[] }) {
  return {
    id: pass.id,
    chain: { type: pass.chain, network: pass.network },
    gatekeeperNetwork: pass.gatekeeperNetwork,
    walletAddress: pass.walletAddress,
    events: pass.events.map(({ eventType, timestamp, transaction }) => ({
      eventType,
      timestamp,
      ...(transaction && { transaction }),
    })),
    onChainState: pass.onChainState,
    state: pass.state,
    valid: pass.onChainState === 'ACTIVE' && pass.state === 'ACTIVE' && !hasExpired(pass),
    ...(pass.expiryTimestamp !== null && { expiryTimestamp: pass.expiryTimestamp, validUntil: pass.expiryTimestamp }),
  };
}

const hasExpired = ({ expiryTimestamp }: Pass) =>
  expiryTimestamp !== null && expiryTimestamp < Math.floor(Date.now() / 1000);
