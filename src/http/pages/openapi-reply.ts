import type { Config } from '../../config/config.ts';
import { encodeBase58 } from '../../lib/bytes.ts';
import { type Refusal, refuseUnavailable } from '../protocol/problem.ts';
import type { Reply } from '../protocol/reply.ts';
import type { Reader } from './deployment-document.ts';
import { fetchAsset } from './static-asset.ts';

interface Served {
  readonly origin: string;
  readonly reply: Reply;
}

/** The replies for the origin of the newest request, by configuration. A deployment has one origin. */
const caches: Readonly<Record<Reader, WeakMap<Config, Served>>> = { partners: new WeakMap(), operators: new WeakMap() };

/** The static files. A caller gets them only through a route, so nobody reads the operator's without a token. */
const FILES: Readonly<Record<Reader, string>> = { partners: '/openapi.json', operators: '/admin/openapi.json' };

/** Returns the OpenAPI document of a reader for this deployment. Refuses with 503 if the platform does not return the file. */
export async function replyOpenapi(
  reader: Reader,
  { config, assets, origin }: { readonly config: Config; readonly assets: Fetcher; readonly origin: string },
): Promise<Reply | Refusal> {
  const cached = caches[reader].get(config);
  if (cached?.origin === origin) return cached.reply;
  const file = await fetchAsset(FILES[reader], assets);
  if (file === undefined) return refuseUnavailable();
  const { deploymentDocument } = await import('./deployment-document.ts');
  const body = deploymentDocument(await file.text(), reader, config, origin);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body));
  const reply = { status: 200, body, headers: { etag: `W/"${encodeBase58(new Uint8Array(hash))}"` } };
  caches[reader].set(config, { origin, reply });
  return reply;
}
