import { base58 } from '@scure/base';
import type { Config } from '../../config/config.ts';
import { deploymentDocument } from '../docs/deployment-document.ts';
import { CACHE_ONE_MINUTE, fetchAsset } from '../docs/static-asset.ts';
import { notModified } from '../protocol/etag.ts';
import { refuseUnavailable } from '../protocol/unavailable.ts';
import type { PublicRoute } from '../route.ts';

interface Completed {
  readonly origin: string;
  readonly text: string;
  readonly etag: string;
}

/** By configuration, for the origin that was asked last: as a rule there is one. */
const completed = new WeakMap<Config, Completed>();

export const openapiDocument: PublicRoute = {
  operationId: 'getDocument',
  method: 'GET',
  path: '/openapi.json',
  scope: 'public',
  unlisted: true,
  summary: 'What the service can do (OpenAPI 3.1), with its addresses and scopes here',
  replies: { 200: { description: 'The document.' }, 304: { description: 'It is still the one of `If-None-Match`.' } },
  async handle({ config, env, origin, request }) {
    const document = await documentFor(config, env, origin);
    if (document === undefined) return refuseUnavailable();
    const { text, etag } = document;
    // It says nothing that is not for everybody: any page may read it.
    const headers = { ...CACHE_ONE_MINUTE, etag, 'access-control-allow-origin': '*' };
    return notModified({ status: 200, body: text, headers }, request);
  },
};

async function documentFor(config: Config, env: Env, origin: string): Promise<Completed | undefined> {
  const before = completed.get(config);
  if (before?.origin === origin) return before;
  const file = await fetchAsset('/openapi.json', env);
  if (file === undefined) return undefined;
  const text = JSON.stringify(deploymentDocument(await file.json(), config, origin));
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const document = { origin, text, etag: `W/"${base58.encode(new Uint8Array(hash))}"` };
  completed.set(config, document);
  return document;
}
