import { base58 } from '@scure/base';
import type { Config } from '../../config/config.ts';
import { deploymentDocument } from '../pages/deployment-document.ts';
import { CACHE_ONE_MINUTE, fetchAsset } from '../pages/static-asset.ts';
import { refuseUnavailable } from '../protocol/transient-error.ts';
import type { PublicRoute } from '../route.ts';

interface ServedDocument {
  readonly origin: string;
  readonly text: string;
  readonly etag: string;
}

/** The document for the origin of the newest request, by configuration. A deployment has one origin. */
const cache = new WeakMap<Config, ServedDocument>();

export const openapiDocument: PublicRoute = {
  operationId: 'getDocument',
  method: 'GET',
  path: '/openapi.json',
  scope: 'public',
  anyOrigin: true,
  async handle({ config, assets, origin }) {
    const document = await documentFor(config, assets, origin);
    if (document === undefined) return refuseUnavailable();
    const { text, etag } = document;
    // Without a configured origin, the document has the host of the request, so no cache may serve it to other callers.
    const caching = config.origin === undefined ? {} : CACHE_ONE_MINUTE;
    return { status: 200, body: text, headers: { ...caching, etag } };
  },
};

async function documentFor(config: Config, assets: Fetcher, origin: string): Promise<ServedDocument | undefined> {
  const cached = cache.get(config);
  if (cached?.origin === origin) return cached;
  const file = await fetchAsset('/openapi.json', assets);
  if (file === undefined) return undefined;
  const text = deploymentDocument(await file.text(), config, origin);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const document = { origin, text, etag: `W/"${base58.encode(new Uint8Array(hash))}"` };
  cache.set(config, document);
  return document;
}
