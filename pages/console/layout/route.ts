import { useLayoutEffect, useState } from 'preact/hooks';

/** The view and its state are in the hash of the address, so that Back and a reload restore them. */

export interface Route {
  /** The name of the view. */
  readonly path: string;
  readonly parameters: readonly string[];
  /** The state of the view, after the question mark. */
  readonly query: URLSearchParams;
}

/** Returns the route of a hash such as `#/find?state=ACTIVE`. */
export function routeOf(hash: string): Route {
  const [place = '', query = ''] = hash.slice(2).split(/\?(.*)/s);
  const [path = '', ...parameters] = place.split('/').map(decode);
  return { path, parameters, query: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the address of a view with its state. Empty values are left out. */
export function hashOf(path: string, state: Readonly<Record<string, string | undefined>> = {}): string {
  const filled = Object.entries(state).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const query = new URLSearchParams(filled).toString();
  return query === '' ? `#/${path}` : `#/${path}?${query}`;
}

/** Returns the route, and renders again when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  // A plain effect begins to listen after the page is shown, and misses an earlier change.
  useLayoutEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener('hashchange', follow);
    follow();
    return () => removeEventListener('hashchange', follow);
  }, []);
  return routeOf(hash);
}
