import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import { type DefaultTheme, defineConfig, type UserConfig } from 'vitepress';
import { extendMarkdown, slugify } from './markdown.ts';

/** The base path while the generator works. `finish.ts` replaces it, because a deployment chooses its path when it runs. */
export const PLACEHOLDER = '/__site__/';

/** The options of a search. All words of the query count, so that `pass_frozen` finds this code and not every pass. */
export const SEARCH = {
  combineWith: 'AND',
  fuzzy: 0.1,
  prefix: true,
  boost: { title: 4, text: 2, titles: 1 },
} as const;

export interface SiteSettings {
  readonly site: 'partners' | 'repository';
  readonly version: string;
  readonly sidebar: DefaultTheme.SidebarMulti;
}

/** Returns the configuration of the generator. No value may be a function that the browser needs: it would need `eval`. */
export function siteConfig({ site, version, sidebar }: SiteSettings): UserConfig {
  const colors = transformerStyleToClass({ classPrefix: 'c-' });
  return defineConfig({
    lang: 'en',
    title: 'Gatepass',
    description: 'The documents of Gatepass.',
    base: PLACEHOLDER,
    // The service has no names of files in its addresses. Any other server of files does.
    cleanUrls: site === 'partners',
    metaChunk: true,
    // Otherwise the generator adds a style while it changes the theme, which the policy forbids.
    appearance: { disableTransition: false },
    head: [
      ['link', { rel: 'icon', href: `${PLACEHOLDER}icon.svg`, type: 'image/svg+xml' }],
      ['link', { rel: 'stylesheet', href: `${PLACEHOLDER}code.css` }],
    ],
    markdown: {
      theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
      codeTransformers: [colors],
      anchor: { slugify },
      attrs: { disable: true },
      toc: { slugify },
      config: extendMarkdown,
    },
    buildEnd: ({ outDir }) => writeFileSync(join(outDir, 'code.css'), colors.getCSS()),
    themeConfig: {
      logo: '/icon.svg',
      sidebar,
      nav: [{ text: version, link: '/changelog' }],
      notFound: { quote: 'No page has this address.', linkText: 'To the documents', linkLabel: 'To the documents' },
      outline: { level: [2, 3] },
      search: {
        provider: 'local',
        options: { miniSearch: { searchOptions: SEARCH } },
      },
    },
    vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 4_000 } },
  });
}
