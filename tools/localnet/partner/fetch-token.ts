import { Refused } from './partner-client.ts';

export interface ClientCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Returns an access token by the client credentials grant (RFC 6749 §4.4). */
export async function fetchToken(tokenUrl: string, { clientId, clientSecret }: ClientCredentials): Promise<string> {
  const response = await fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!response.ok) throw new Refused(`POST ${tokenUrl}`, response.status, await response.text());
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}
