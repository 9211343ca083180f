import { SECOND_MS } from '../../src/lib/units.ts';
import type { AdminCall } from '../admin-api.ts';
import { check, type Finding, fail, notice, ok, skip, type Verdict } from './check.ts';

/** Checks how far the watchers have followed their chains, as `GET /admin/watchers` reports it. */

interface ShownWatcher {
  readonly network: string;
  readonly status: string;
  readonly coveredUntil?: number | null;
  readonly unservedGaps?: number;
  readonly removedGatekeepers?: readonly { readonly gatekeeperNetwork: string; readonly gatekeeper: string }[];
  readonly why?: string | null;
}

/** The threshold of the alert. */
const MAX_LAG_SECONDS = 300;
const ADD_ENDPOINT =
  'add an endpoint to RPC_ENDPOINTS that serves eth_getLogs, or on Solana getSignaturesForAddress and getTransaction';
const SEE_REMOVED = 'see docs/operators/runbook/a-gatekeeper-has-been-removed.md';

/** Returns a finding for each watcher of the service. `now` in milliseconds. */
export async function watcherFindings(call: AdminCall, now: number): Promise<Finding[]> {
  const { watchers } = await call<{ watchers: readonly ShownWatcher[] }>('GET', '/admin/watchers');
  return Promise.all(
    watchers.map((watcher) =>
      check(`${watcher.network}, watcher`, () => watcherVerdict(watcher, Math.floor(now / SECOND_MS))),
    ),
  );
}

/** @param now Unix seconds. */
export function watcherVerdict(watcher: ShownWatcher, now: number): Verdict {
  const { status, coveredUntil = null, unservedGaps = 0, removedGatekeepers = [], why } = watcher;
  if (status === 'off') return notice('NETWORKS switches it off, so changes by others show late');
  if (status === 'not-begun') return ok('it begins with the first pass of the network');
  if (status !== 'on') return skip('the watcher does not answer');
  if (removedGatekeepers.length > 0) {
    const named = removedGatekeepers.map(
      ({ gatekeeper, gatekeeperNetwork }) => `${gatekeeper} of ${gatekeeperNetwork}`,
    );
    return fail(`the tokens of removed gatekeepers are void: ${named.join(', ')}`, SEE_REMOVED);
  }
  if (coveredUntil === null) return fail(`it has covered nothing yet${why ? `: ${why}` : ''}`, ADD_ENDPOINT);
  const lag = Math.max(0, now - coveredUntil);
  const note = `it has covered the chain until ${lag} s ago`;
  if (lag > MAX_LAG_SECONDS && unservedGaps === 0) return fail(why ? `${note}: ${why}` : note, ADD_ENDPOINT);
  if (unservedGaps > 0)
    return notice(`${note}; no endpoint serves ${unservedGaps} parts, so the reconciliation reads its passes`);
  return ok(note);
}
