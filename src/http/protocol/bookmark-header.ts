/** The header with a caller's bookmark. A response to a request with a bookmark is at least as new as the bookmark's response. */
export const BOOKMARK = 'gatepass-bookmark';
