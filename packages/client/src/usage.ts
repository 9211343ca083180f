import type { components } from './schema.ts';

/** The usage of a month by network. Later releases may add fields. */
export type Usage = components['schemas']['Usage'];

export interface UsageQuery {
  /** A month in UTC, for example `2026-11`. Default: the current one. */
  readonly month?: string;
  /** Also counts the subjects and their passes. */
  readonly subjects?: boolean;
}
