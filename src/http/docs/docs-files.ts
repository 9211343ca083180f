/** What the page at `/docs` is made of, beside itself: `scripts/assets.ts` puts these files, and no other, where the Worker finds them. */
export const DOCS_FILES = [
  'start.js',
  'page.css',
  'icon.svg',
  'swagger-ui-bundle.js',
  'swagger-ui.css',
  'swagger-ui-bundle.js.LICENSE.txt',
  'LICENSE.txt',
  'NOTICE.txt',
] as const;

export type DocsFile = (typeof DOCS_FILES)[number];
