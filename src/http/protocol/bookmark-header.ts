/** How far the caller has seen its passes: goes out with answers, and comes back with requests that must not see less. */
export const BOOKMARK = 'gatepass-bookmark';
