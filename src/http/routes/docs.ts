import type { Config } from '../../config/config.ts';
import { encodeBase58 } from '../../lib/base58.ts';
import { DOCS_FILES, DOCS_GUIDES, DOWNLOADS } from '../pages/files.ts';
import { CACHE_ONE_MINUTE, fetchAsset, hasSlashAtEnd, pageHeaders, replyAsset } from '../pages/static-asset.ts';
import { refuse, refuseUnavailable } from '../protocol/problem.ts';
import { METADATA_PATH } from '../protocol/url.ts';
import type { PublicRoute } from '../route.ts';

/** Leads a person who opens the address of the service in a browser to the documentation. */
const home: PublicRoute = {
  operationId: 'getHome',
  method: 'GET',
  path: '/',
  alsoAtRoot: true,
  scope: 'public',
  handle: ({ config }) => toDocs(config.basePath),
};

const toDocs = (basePath: string) => ({ status: 302, body: null, headers: { location: `${basePath}/docs` } });

/** The API reference. */
const docsPage: PublicRoute = {
  operationId: 'getDocsPage',
  method: 'GET',
  path: '/docs',
  scope: 'public',
  handle(context) {
    const { basePath, tokenUrl } = context.config;
    if (hasSlashAtEnd(context.request)) return toDocs(basePath);
    return replyAsset('/docs/index.html', context, pageHeaders([tokenUrl]));
  },
};

/** A partners' guide, or a file that a page loads. */
const docsFile: PublicRoute = {
  operationId: 'getDocsFile',
  method: 'GET',
  path: '/docs/:file',
  scope: 'public',
  handle(context) {
    const guide = DOCS_GUIDES.find((name) => name === context.params.file);
    if (guide !== undefined) {
      if (hasSlashAtEnd(context.request)) return toDocs(context.config.basePath);
      return replyAsset(`/docs/${guide}.html`, context, pageHeaders());
    }
    const file = DOCS_FILES.find((name) => name === context.params.file);
    return file === undefined ? refuse('not_found') : replyAsset(`/docs/${file}`, context);
  },
};

/** The packages for partners, and their list with hashes. */
const download: PublicRoute = {
  operationId: 'getDownload',
  method: 'GET',
  path: '/downloads/:download',
  scope: 'public',
  handle(context) {
    const file = DOWNLOADS.find((name) => name === context.params.download);
    return file === undefined ? refuse('not_found') : replyAsset(`/downloads/${file}`, context);
  },
};

interface ServedDocument {
  readonly origin: string;
  readonly text: string;
  readonly etag: string;
}

/** The document for the origin of the newest request, by configuration. A deployment has one origin. */
const cache = new WeakMap<Config, ServedDocument>();

const openapiDocument: PublicRoute = {
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
  const document = { origin, text, etag: `W/"${encodeBase58(new Uint8Array(hash))}"` };
  cache.set(config, document);
  return document;
}

/** The operator's scopes as the committed document names them. */
const ADMIN_SCOPES = [
  ['admin', 'admin'],
  ['read', 'admin:read'],
  ['act', 'admin:act'],
  ['partners', 'admin:partners'],
  ['metrics', 'metrics:read'],
] as const;

interface OpenApiDocument {
  servers: { url: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, { security?: object[] }>>;
  components: { securitySchemes: { oauth2?: { flows: { clientCredentials: { scopes: Record<string, string> } } } } };
}

/** Returns the committed document with the addresses and scope names of this deployment, without the parts that it lacks. */
function deploymentDocument(template: string, config: Config, origin: string): string {
  const { basePath, tokenUrl = '', tokens, admin } = config;
  const document: OpenApiDocument = JSON.parse(template);
  removeUnavailable(document, config);
  for (const server of document.servers) server.url = origin + basePath;
  const values = new Map([
    // The server of the well-known path has no base path: well-known paths belong to a host.
    ['https://api.example.com', origin],
    [METADATA_PATH, METADATA_PATH + basePath],
    ['https://issuer.example.com/oauth/token', tokenUrl],
    ['search:pass', tokens.scopes.search],
    ['issue:pass', tokens.scopes.issue],
    ['update:pass', tokens.scopes.update],
    ['webhook:manage', tokens.scopes.webhook],
    ...ADMIN_SCOPES.map(([right, scope]) => [scope, admin?.scopes[right] ?? ''] as const),
  ]);
  return JSON.stringify(document).replaceAll(/"(?:[^"\\]|\\.)*"/g, (text) => {
    const value = values.get(text.slice(1, -1));
    return value === undefined ? text : JSON.stringify(value);
  });
}

/** Removes the operator's routes if they do not exist, and the OAuth 2.0 flow from operations that refuse its tokens. */
function removeUnavailable(document: OpenApiDocument, { tokenUrl, tokens, admin }: Config): void {
  const { paths, components } = document;
  const partnersHaveFlow = tokenUrl !== undefined;
  const operatorHasFlow = partnersHaveFlow && admin?.issuer === tokens.issuer;
  for (const [path, item] of Object.entries(paths)) {
    const isOperators = path.startsWith('/admin/');
    if (isOperators && admin === undefined) delete paths[path];
    if (isOperators ? operatorHasFlow : partnersHaveFlow) continue;
    for (const operation of Object.values(item)) {
      operation.security &&= operation.security.filter((scheme) => !('oauth2' in scheme));
    }
  }
  if (admin === undefined) document.tags = document.tags.filter(({ name }) => name !== 'Operator');
  if (!operatorHasFlow) {
    const scopes = components.securitySchemes.oauth2?.flows.clientCredentials.scopes ?? {};
    for (const [, scope] of ADMIN_SCOPES) delete scopes[scope];
  }
  if (!partnersHaveFlow) delete components.securitySchemes.oauth2;
}

export const docsRoutes = [home, docsPage, docsFile, download, openapiDocument];
