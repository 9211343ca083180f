import type { DeliveredEvent, FeedEvent, Pass } from '../../../../packages/client/src/gatepass.ts';

/** Never runs. The type check fails if a marked line compiles, or if another line does not compile. */
export function expectNarrowing(event: FeedEvent): string {
  // Before a comparison, an event may be a notice without data.
  const wallet: string | undefined = event.data?.pass.walletAddress;
  // @ts-expect-error: data may be absent
  void event.data.pass;
  switch (event.type) {
    case 'pass.issued':
    case 'pass.revoked': {
      const state: Pass['state'] = event.data.pass.state;
      // @ts-expect-error: the type is one of the two
      const type: 'pass.frozen' = event.type;
      return `${state} ${type} ${event.data.event.eventType}`;
    }
    case 'feed.restored':
      // @ts-expect-error: a notice has no data
      return event.data.pass.walletAddress;
    default:
      // A type of a later release is a text, and may have data.
      return `${event.type satisfies string} ${event.data?.pass.walletAddress} ${wallet}`;
  }
}

export function expectDelivered(event: DeliveredEvent): number {
  if (event.type === 'webhook.test') {
    // @ts-expect-error: a test delivery has no data
    void event.data.pass;
    return 0;
  }
  if (event.type.startsWith('pass.')) void event.data?.pass;
  return event.sequence;
}

/** A test of a receiver makes these. */
export const TEST_DELIVERY: DeliveredEvent = { id: 'a.1', type: 'webhook.test', timestamp: '2026-11-20T11:03:45.000Z' };
export const NOTICE: FeedEvent = { id: 'a', sequence: 1, type: 'feed.restored', timestamp: '2026-11-20T11:03:45.000Z' };
// @ts-expect-error: an event of a pass has data
export const WITHOUT_DATA: FeedEvent = {
  id: 'a',
  sequence: 1,
  type: 'pass.issued',
  timestamp: '2026-11-20T11:03:45.000Z',
};
