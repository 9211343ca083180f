import { DOCS_FILES, DOCS_GUIDES } from '../docs/docs-files.ts';
import { replyAsset } from '../docs/static-asset.ts';
import { refuse } from '../protocol/problem.ts';
import type { PublicRoute } from '../route.ts';
import { toDocs } from './home.ts';

/** The API reference. */
export const docsPage: PublicRoute = {
  operationId: 'getDocsPage',
  method: 'GET',
  path: '/docs',
  scope: 'public',
  unlisted: true,
  summary: 'Show the API reference as a page',
  replies: { 200: { description: 'The page.', mediaType: 'text/html' } },
  handle(context) {
    const { basePath, tokenUrl } = context.config;
    // Links of the page are relative to this path without a trailing slash.
    if (hasSlashAtEnd(context.request)) return toDocs(basePath);
    return replyAsset('/docs/index.html', context, pageHeaders(tokenUrl));
  },
};

/** A partners' guide, or a file that a page loads. */
export const docsFile: PublicRoute = {
  operationId: 'getDocsFile',
  method: 'GET',
  path: '/docs/:file',
  scope: 'public',
  unlisted: true,
  summary: 'Fetch a guide or a file of the documentation pages',
  replies: { 200: { description: 'The guide or the file.', mediaType: '*/*' } },
  handle(context) {
    const guide = DOCS_GUIDES.find((name) => name === context.params.file);
    if (guide !== undefined) {
      if (hasSlashAtEnd(context.request)) return toDocs(context.config.basePath);
      return replyAsset(`/docs/${guide}.html`, context, pageHeaders(undefined));
    }
    const file = DOCS_FILES.find((name) => name === context.params.file);
    return file === undefined ? refuse('not_found') : replyAsset(`/docs/${file}`, context);
  },
};

const hasSlashAtEnd = ({ url }: Request) => new URL(url).pathname.endsWith('/');

/** A page may show its own files, and call this service and the token endpoint. It may do nothing else. */
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
