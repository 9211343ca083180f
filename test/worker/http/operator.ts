import { inject } from 'vitest';
import { Api, type Send } from './api.ts';
import { aToken, type Claims, trusting } from './issuer.ts';

const { clientId, clientSecret, audience } = inject('localnet').operator;

/** Who runs the service, with a token of the localnet's authorization server. */
export async function operator(): Promise<Api> {
  const response = await fetch(inject('localnet').tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  return new Api(((await response.json()) as { access_token: string }).access_token);
}

/** An operator of the issuer of these tests, with a good token but for these claims. */
export async function anOperator(claims: Claims = {}, send: Send = trusting): Promise<Api> {
  return new Api(await aToken({ aud: audience, scope: 'admin', client_id: 'ops', ...claims }), send);
}
