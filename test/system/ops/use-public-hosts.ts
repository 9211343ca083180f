/** The header with the origin that a program requested. */
export const ORIGIN_HEADER = 'x-public-origin';

const at = process.env.PUBLIC_HOSTS_AT;
const fetchDirectly = globalThis.fetch;

/** Sends requests to other machines to `PUBLIC_HOSTS_AT`, which knows the public hosts of the test. */
const fetchHere: typeof fetch = (input, init) => {
  const request = new Request(input, init);
  const { origin, hostname, pathname, search } = new URL(request.url);
  if (hostname === '127.0.0.1') return fetchDirectly(request);
  const moved = new Request(at + pathname + search, request);
  moved.headers.set(ORIGIN_HEADER, origin);
  return fetchDirectly(moved);
};

if (at !== undefined) globalThis.fetch = fetchHere;
