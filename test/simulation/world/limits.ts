/** The daily numbers (UTC) that a world begins with; undefined: no bound. */
export interface Limits {
  /** Issuances of each partner. */
  readonly issuances?: number;
  /** Changes of each partner. */
  readonly changes?: number;
  /** Changes of each pass, by all partners. */
  readonly passChanges?: number;
}

/** Returns the limits in words. */
export function limitsInWords({ issuances, changes, passChanges }: Limits): string {
  return [
    ...(issuances === undefined ? [] : [`each partner may issue ${issuances} passes a day`]),
    ...(changes === undefined ? [] : [`each partner may make ${changes} changes a day`]),
    ...(passChanges === undefined ? [] : [`a pass takes ${passChanges} changes a day`]),
  ].join(', ');
}
