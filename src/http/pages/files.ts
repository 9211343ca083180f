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

/** The files that the page `/console` loads. `scripts/assets.ts` writes them to the assets. The Worker serves no others. */
export const CONSOLE_FILES = [
  'app.js',
  'api.js',
  'approvals.js',
  'audit.js',
  'callback.js',
  'claim.js',
  'confirm.js',
  'console.css',
  'csv.js',
  'csv-format.js',
  'csv-rows.js',
  'feed.js',
  'find.js',
  'format.js',
  'health.js',
  'icon.svg',
  'issue.js',
  'layout.js',
  'networks.js',
  'pass.js',
  'settings.js',
  'sign-in.js',
  'signers.js',
  'stuck.js',
  'usage.js',
  'verdict.js',
  'webhooks.js',
  'why.js',
  'csv-parse.js',
  'csv-stringify.js',
  'oauth4webapi.js',
  'preact.js',
  'LICENSES.txt',
] as const;

export type ConsoleFile = (typeof CONSOLE_FILES)[number];

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
