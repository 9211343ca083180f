import { inject } from 'vitest';
import { fetchToken } from '../../../tools/localnet/partner/fetch-token.ts';
import { Api, type Send } from './api.ts';
import { aToken, type Claims, trustingWorker } from './issuer.ts';

const { operator: credentials, tokenUrl } = inject('localnet');

/** The operator, with a token of the localnet's authorization server. */
export async function operator(): Promise<Api> {
  return new Api(await fetchToken(tokenUrl, credentials));
}

/** Returns an operator with a token of the issuer of these tests: a valid token with these claims replaced. */
export async function anOperator(claims: Claims = {}, send: Send = trustingWorker): Promise<Api> {
  return new Api(await aToken({ aud: credentials.audience, scope: 'admin', client_id: 'ops', ...claims }), send);
}
