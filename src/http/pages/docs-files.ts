/** The files that the pages under `/docs` load. `scripts/assets.ts` writes them to the assets. The Worker serves no others. */
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

/** The partners' guides, in the order of the navigation: `docs/partners/NAME.md` becomes the page `/docs/NAME`. */
export const DOCS_GUIDES = [
  'quickstart',
  'pass-life',
  'api',
  'events',
  'webhooks',
  'errors',
  'limits',
  'command',
  'console',
  'client',
  'from-civic',
] as const;

export type DocsGuide = (typeof DOCS_GUIDES)[number];
