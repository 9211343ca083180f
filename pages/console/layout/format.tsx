import type { ComponentChildren } from 'preact';

const LOCAL = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'long',
});

/**
 * Shows a time in UTC, and the local one on hover and in the description for screen readers.
 * @param seconds Unix seconds.
 * @param exact Whether the seconds show.
 */
export function Time({ seconds, exact = false }: { readonly seconds: number; readonly exact?: boolean }) {
  const date = new Date(seconds * 1_000);
  // Every record has a time that a date can show, but an expiry may be any number.
  if (Number.isNaN(date.getTime())) return <>{seconds}</>;
  const iso = date.toISOString();
  const local = `${LOCAL.format(date)} on this computer`;
  return (
    <time dateTime={iso} title={local} aria-description={local}>
      {iso.slice(0, -14)} {iso.slice(-13, exact ? -5 : -8)} UTC
    </time>
  );
}

/** @param text A time in ISO 8601. */
export const IsoTime = ({ text, exact = false }: { readonly text: string; readonly exact?: boolean }) => (
  <Time seconds={Date.parse(text) / 1_000} exact={exact} />
);

/** Shows a state as text with a color. */
export const Badge = ({ state, text = state }: { readonly state: string; readonly text?: string }) => (
  <span class={`badge ${state.toLowerCase()}`}>{text}</span>
);

/** Shows the state of a pass without a color: only the verdict says whether dApps accept the wallet. */
export const StateBadge = ({ state }: { readonly state: string }) => <span class="badge">{state}</span>;

/** Shows a text that somebody else wrote. Its direction marks must not turn the text around it. */
export const Foreign = ({ children }: { readonly children?: ComponentChildren }) =>
  children === undefined || children === '' ? null : <bdi>{children}</bdi>;
