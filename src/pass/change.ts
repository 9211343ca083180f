import type { Pass, PassEvent } from './pass.ts';

/** The pass after a change that shows in its record: the next version, with these events appended. */
export function changed(pass: Pass, ...events: PassEvent[]): Pass {
  return { ...pass, version: pass.version + 1, events: [...pass.events, ...events] };
}
