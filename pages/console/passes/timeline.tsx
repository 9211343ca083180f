import { useState } from 'preact/hooks';
import type { AuditEntry, PassEvent, PassRecord } from '../api/records.ts';
import { loadTrail, type TrailPage } from '../audit/trail.ts';
import { Foreign, Time } from '../layout/format.tsx';
import { useAction, useLoad } from '../layout/load.ts';
import { Problem } from '../layout/view.tsx';
import { wordsFor } from '../layout/words.ts';
import { Origin, TransactionLink } from './network.tsx';

/** The events of a pass joined with the audit trail: what happened, who requested it, and why. */

interface Item {
  readonly key: string;
  readonly seconds: number;
  readonly event?: PassEvent;
  /** The request that caused the event, or one without an event. */
  readonly entry?: AuditEntry | undefined;
}

const TRAIL_REFRESH_MS = 5_000;

const secondsOf = ({ at }: AuditEntry) => Math.floor(Date.parse(at) / 1_000);

/** Returns the newest item first. A request stands beside the first event that it caused. Pure. */
export function joinTimeline(events: readonly PassEvent[], entries: readonly AuditEntry[]): readonly Item[] {
  const byRequest = new Map(entries.flatMap((entry) => (entry.requestId ? [[entry.requestId, entry] as const] : [])));
  const joined = new Set<AuditEntry>();
  const ofEvents = events.map((event, place): Item => {
    const entry = event.requestId === undefined ? undefined : byRequest.get(event.requestId);
    const isFirst = entry !== undefined && !joined.has(entry);
    if (isFirst) joined.add(entry);
    return { key: `event ${place}`, seconds: event.timestamp, event, ...(isFirst && { entry }) };
  });
  const others = entries.filter((entry) => !joined.has(entry));
  const ofOthers = others.map((entry): Item => ({ key: `entry ${entry.sequence}`, seconds: secondsOf(entry), entry }));
  // Events of one second stay in their order.
  return [...ofEvents, ...ofOthers].toSorted((one, other) => one.seconds - other.seconds).toReversed();
}

export function Timeline({ pass }: { readonly pass: PassRecord }) {
  const [earlier, setEarlier] = useState<readonly TrailPage[]>([]);
  const filter = `&pass=${encodeURIComponent(pass.id)}`;
  // A change of the pass adds entries, some time after its events.
  const { value, error, reload } = useLoad(
    (signal) => loadTrail('audit', filter, undefined, signal),
    pass.id,
    TRAIL_REFRESH_MS,
  );
  const last = earlier.at(-1) ?? value;
  const more = useAction(async () => {
    const page = await loadTrail('audit', filter, last?.next);
    setEarlier((pages) => [...pages, page]);
  });
  const bySequence = new Map(
    [value, ...earlier].flatMap((page) => page?.entries ?? []).map((entry) => [entry.sequence, entry]),
  );
  const items = joinTimeline(pass.events, [...bySequence.values()]);
  return (
    <>
      <h2>Timeline</h2>
      <Problem error={error ?? more.error} retry={reload} />
      <ol class="timeline" aria-label="Timeline">
        {items.map(({ key, ...item }) => (
          <TimelineItem key={key} network={pass.chain.network} {...item} />
        ))}
      </ol>
      {last?.more && (
        <div class="actions">
          <button type="button" disabled={more.isRunning} onClick={() => more.run()}>
            Earlier requests
          </button>
        </div>
      )}
    </>
  );
}

function TimelineItem({ seconds, event, entry, network }: Omit<Item, 'key'> & { readonly network: string }) {
  const requestId = event?.requestId ?? entry?.requestId;
  return (
    <li>
      <div class="what">
        <strong>{wordsFor(event?.eventType ?? entry?.action ?? '')}</strong> <Time seconds={seconds} exact />
      </div>
      {entry && <Requester {...entry} />}
      {event?.reason && (
        <div>
          The service says: <Foreign>{event.reason}</Foreign>
        </div>
      )}
      {(event?.transaction || event?.byOthers) && (
        <div>
          {event.transaction && (
            <>
              Transaction <TransactionLink network={network} identifier={event.transaction.identifier} />{' '}
              {event.transaction.status}
            </>
          )}{' '}
          {event.byOthers && <Origin {...event.byOthers} />}
        </div>
      )}
      {requestId && (
        <div class="note">
          Request <code>{requestId}</code>
        </div>
      )}
    </li>
  );
}

const Requester = ({ actor, reason, outcome }: AuditEntry) => (
  <div>
    by <Foreign>{actor.sub ?? actor.client}</Foreign>
    {outcome.type !== 'done' && ` (${outcome.type})`}
    {reason && (
      <>
        {' '}
        with the reason “<Foreign>{reason}</Foreign>”
      </>
    )}
  </div>
);
