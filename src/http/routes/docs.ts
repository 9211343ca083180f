import { DOWNLOADS } from '../pages/files.ts';
import { replyOpenapi } from '../pages/openapi-reply.ts';
import { CACHE_ONE_MINUTE, hasSlashAtEnd, pageHeaders, replyAsset } from '../pages/static-asset.ts';
import { refuse } from '../protocol/problem.ts';
import { isRefusal, reply } from '../protocol/reply.ts';
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

const toDocs = (basePath: string) => ({ status: 302, body: null, headers: { location: `${basePath}/docs/` } });

/** The first page of the documents. All pages have the same folder, so that a link between two is a name. */
const docsPage: PublicRoute = {
  operationId: 'getDocsPage',
  method: 'GET',
  path: '/docs',
  scope: 'public',
  handle(context) {
    if (!hasSlashAtEnd(context.request)) return toDocs(context.config.basePath);
    return replyAsset('/docs/index.html', context, pageHeaders());
  },
};

/** A page of the documents, or a file that a page loads. */
const docsFile: PublicRoute = {
  operationId: 'getDocsFile',
  method: 'GET',
  path: '/docs/:file+',
  scope: 'public',
  handle(context) {
    const { params, config, request } = context;
    const { file = '' } = params;
    if (hasSlashAtEnd(request)) return toDocs(config.basePath);
    if (!PAGE_OR_FILE.test(file)) return refuse('not_found');
    // Only the API reference gets access tokens.
    const headers = pageHeaders([file === 'reference' ? config.tokenUrl : undefined]);
    return replyAsset(`/docs/${file}${file.includes('.') ? '' : '.html'}`, context, headers, true);
  },
};

/** The name of a page, or of a file beside the pages or below `assets/`. The address of a page is its name without `.html`. */
const PAGE_OR_FILE = /^([a-z-]+|(assets\/(chunks\/)?)?[\w@-][\w@.-]*\.(css|js|json|png|svg|txt))$/;

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

const openapiDocument: PublicRoute = {
  operationId: 'getDocument',
  method: 'GET',
  path: '/openapi.json',
  scope: 'public',
  anyOrigin: true,
  async handle(context) {
    const outcome = await replyOpenapi('partners', context);
    // Without a configured origin, the document has the host of the request, so no cache may serve it to other callers.
    if (isRefusal(outcome) || context.config.origin === undefined) return outcome;
    return { ...outcome, headers: { ...outcome.headers, ...CACHE_ONE_MINUTE } };
  },
};

const protectedResource: PublicRoute = {
  operationId: 'getProtectedResource',
  method: 'GET',
  path: METADATA_PATH,
  wellKnown: true,
  scope: 'public',
  handle: ({ config: { basePath, tokens }, origin }) =>
    reply(
      200,
      JSON.stringify({
        resource: origin + basePath,
        resource_name: 'Gatepass',
        authorization_servers: [tokens.issuer],
        scopes_supported: Object.values(tokens.scopes),
        bearer_methods_supported: ['header'],
      }),
    ),
};

export const metadataRoutes = [protectedResource];

export const docsRoutes = [home, docsPage, docsFile, download, openapiDocument];
