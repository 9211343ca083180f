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
  'sandbox',
  'pass-life',
  'api',
  'events',
  'webhooks',
  'errors',
  'limits',
  'command',
  'console',
  'client',
  'whom-you-trust',
  'from-civic',
] as const;

export type DocsGuide = (typeof DOCS_GUIDES)[number];

/** The files under `/downloads`. `scripts/assets/downloads.ts` writes them to the assets, in the versions of this release. */
export const DOWNLOADS = [
  'index.json',
  'gatepass-client.tgz',
  'gatepass-client-0.1.0.tgz',
  'gatepass-cli.tgz',
  'gatepass-cli-0.1.0.tgz',
  'gatepass.py',
  'gatepass-0.1.0.py',
] as const;

export type Download = (typeof DOWNLOADS)[number];
