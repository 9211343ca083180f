/**
 * Where a request to an endpoint goes, and who it says it is. Some providers know theirs by a user and a password in the URL:
 * `fetch` of Workers leaves them out without a word, that of Node refuses such URLs. So they go as RFC 7617 has them.
 */
export function endpointRequestOf(text: string): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  // Every request to a node passes here, and few URLs have credentials.
  if (!text.includes('@')) return { url: text, headers: {} };
  const url = new URL(text);
  const { username, password } = url;
  if (username === '' && password === '') return { url: text, headers: {} };
  url.username = '';
  url.password = '';
  const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url: url.href, headers: { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` } };
}
