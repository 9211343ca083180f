import { DOCS_FILES } from '../docs/docs-files.ts';
import { replyAsset } from '../docs/static-asset.ts';
import { refuse } from '../protocol/problem.ts';
import type { PublicRoute } from '../route.ts';
import { toDocs } from './home.ts';

export const docsPage: PublicRoute = {
  operationId: 'getDocsPage',
  method: 'GET',
  path: '/docs',
  scope: 'public',
  unlisted: true,
  summary: 'The page that shows the document, and tries it',
  replies: { 200: { description: 'The page.', mediaType: 'text/html' } },
  handle(context) {
    const { basePath, tokenUrl } = context.config;
    // What the page names, it names relative to this path without a slash behind it.
    if (new URL(context.request.url).pathname.endsWith('/')) return toDocs(basePath);
    return replyAsset('/docs/index.html', context, pageHeaders(tokenUrl));
  },
};

export const docsFile: PublicRoute = {
  operationId: 'getDocsFile',
  method: 'GET',
  path: '/docs/:file',
  scope: 'public',
  unlisted: true,
  summary: 'What that page is made of',
  replies: { 200: { description: 'The file.', mediaType: '*/*' } },
  handle(context) {
    const file = DOCS_FILES.find((name) => name === context.params.file);
    return file === undefined ? refuse('not_found') : replyAsset(`/docs/${file}`, context);
  },
};

/** What the page may do: nothing but show its own files, and ask this service and the token endpoint. */
function pageHeaders(tokenUrl: string | undefined): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self'${tokenUrl === undefined ? '' : ` ${new URL(tokenUrl).origin}`}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  };
}
