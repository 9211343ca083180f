/**
 * `node tools/site/build-site.ts SITE FOLDER` builds a site into the folder. It is a process of its own, because the generator changes
 * the environment of its process.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vitepress';
import { finishSite } from './finish.ts';
import { groupsOf, markdownOf, type SiteName, textOf } from './pages.ts';
import { sidebarOf } from './sidebar.ts';

const PROJECT = dirname(dirname(import.meta.dirname));
const SOURCE = join(PROJECT, 'pages', 'docs');

/** Builds the site in a folder of its own, so that several processes may build at once. */
export async function buildSite(site: SiteName, outDir: string): Promise<void> {
  mkdirSync(join(PROJECT, 'dist'), { recursive: true });
  const root = mkdtempSync(join(PROJECT, 'dist', 'site-'));
  try {
    writeSources(site, root);
    await build(root, { outDir: join(root, 'out') });
    finishSite(join(root, 'out'));
    cpSync(join(root, 'out'), outDir, { recursive: true });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** The packages whose code the browser loads with the site. */
const LOADED = ['vitepress', 'vue', '@vueuse/core', 'minisearch', 'mark.js', 'focus-trap', 'tabbable'];

function licenses(): string {
  const texts = LOADED.map((name) => {
    const folder = join(PROJECT, 'node_modules', name);
    const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} has no license`);
    return `${name}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
  return texts.join('\n---\n\n');
}

/** The folders of pictures. All pages of a site are beside each other, and so are their pictures. */
const PICTURES: Readonly<Record<SiteName, readonly string[]>> = {
  partners: ['docs/partners/pictures'],
  repository: ['docs/partners/pictures', 'docs/operators/pictures', 'docs/pictures'],
};

function writeSources(site: SiteName, root: string): void {
  const groups = groupsOf(site);
  const pages = groups.flatMap((group) => group.pages);
  for (const page of pages) writeFileSync(join(root, `${page.slug}.md`), markdownOf(page, pages));
  for (const folder of PICTURES[site]) cpSync(join(PROJECT, folder), join(root, 'pictures'), { recursive: true });
  mkdirSync(join(root, 'public'));
  cpSync(join(SOURCE, 'icon.svg'), join(root, 'public', 'icon.svg'));
  writeFileSync(join(root, 'public', 'SITE-LICENSES.txt'), licenses());
  const settings = {
    site,
    version: JSON.parse(textOf('package.json')).version,
    sidebar: sidebarOf(groups),
  };
  mkdirSync(join(root, '.vitepress', 'theme'), { recursive: true });
  const config = JSON.stringify(join(import.meta.dirname, 'config.ts'));
  writeFileSync(
    join(root, '.vitepress', 'config.ts'),
    `import { siteConfig } from ${config};\nexport default siteConfig(${JSON.stringify(settings)});\n`,
  );
  const theme = JSON.stringify(join(SOURCE, 'theme', 'index.js'));
  writeFileSync(join(root, '.vitepress', 'theme', 'index.js'), `export { default } from ${theme};\n`);
}

if (import.meta.main) {
  const [site = '', folder = ''] = process.argv.slice(2);
  await buildSite(site as SiteName, folder);
}
