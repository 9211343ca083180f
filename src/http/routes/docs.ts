import { DOCS_FILES, DOCS_GUIDES } from '../pages/docs-files.ts';
import { pageHeaders } from '../pages/page-headers.ts';
import { hasSlashAtEnd, replyAsset } from '../pages/static-asset.ts';
import { refuse } from '../protocol/problem.ts';
import type { PublicRoute } from '../route.ts';
import { toDocs } from './home.ts';

/** The API reference. */
export const docsPage: PublicRoute = {
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
export const docsFile: PublicRoute = {
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
