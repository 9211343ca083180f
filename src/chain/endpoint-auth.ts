/**
 * Returns the URL of an endpoint without user and password, and the header that carries them (RFC 7617). Some providers
 * authenticate by a user and a password in the URL: `fetch` in Workers drops them silently, and in Node it refuses such URLs.
 */
export function endpointRequestOf(text: string): {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  // Fast path: every request to a node calls this function, and few URLs have credentials.
  if (!text.includes('@')) return { url: text, headers: {} };
  const url = new URL(text);
  const { username, password } = url;
  if (username === '' && password === '') return { url: text, headers: {} };
  url.username = '';
  url.password = '';
  const bytes = new TextEncoder().encode(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`);
  return { url: url.href, headers: { authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` } };
}
