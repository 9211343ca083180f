import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { projectFiles } from '../project-files.ts';

/** The pages of a site, and the Markdown from which they are made. */

const PROJECT = dirname(dirname(import.meta.dirname));

/** `partners`: the pages of the service under `/docs`. `repository`: all documents, for operators and contributors too. */
export type SiteName = 'partners' | 'repository';

export interface SitePage {
  /** The name in the address: all pages of a site are beside each other, so a link between two is a name. */
  readonly slug: string;
  /** The file, from the project's folder. Undefined: the page has no text of its own. */
  readonly file?: string;
  readonly title: string;
}

export interface Group {
  readonly title: string;
  readonly pages: readonly SitePage[];
}

/** The guides for partners in the order of the sidebar. `docs/partners/NAME.md` becomes the page `/docs/NAME`. */
const GUIDES = {
  Start: ['README', 'the-check-behind-a-pass', 'quickstart', 'sandbox', 'from-civic'],
  Passes: ['pass-life', 'api', 'subjects', 'errors', 'limits'],
  Checks: ['require-a-pass', 'permissioned-pools', 'token-standards'],
  Changes: ['events', 'webhooks'],
  Tools: ['client', 'react', 'command', 'console'],
  Trust: ['whom-you-trust'],
} as const;

const OPERATORS = {
  Run: ['README', 'deployment', 'configuration', 'releases', 'never-run'],
  Partners: ['partners', 'gatekeeper-networks', 'leave-a-network', 'take-over'],
  Watch: ['console', 'admin-api', 'metrics', 'log-events'],
  Protect: ['security', 'throttles', 'keys-and-databases', 'cost'],
} as const;

const CONTRIBUTORS = [
  'contributing',
  'architecture',
  'storage',
  'reliability',
  'reliability-appendix',
  'performance',
  'testing',
  'dependencies',
];

/** The API reference: the document of the deployment, shown by a component. Only the service has it. */
const REFERENCE: SitePage = { slug: 'reference', title: 'API reference' };
const CHANGELOG: SitePage = { slug: 'changelog', file: 'CHANGELOG.md', title: 'Changelog' };

export const textOf = (file: string): string => readFileSync(join(PROJECT, file), 'utf8');

function pageOf(file: string, slug: string): SitePage {
  const title = /^# (.+)$/m.exec(textOf(file))?.[1];
  if (title === undefined) throw new Error(`${file} has no heading of the first level`);
  return { slug, file, title: title.replaceAll('`', '') };
}

/** Returns the groups of the sidebar. The first page of the first group is the entrance. */
export function groupsOf(site: SiteName): readonly Group[] {
  const guides = Object.entries(GUIDES).map(([title, names]) => ({
    title,
    pages: names.map((name) => pageOf(`docs/partners/${name}.md`, slugOfGuide(name, site))),
  }));
  if (site === 'partners') {
    return guides
      .map((group) => (group.title === 'Passes' ? withReference(group) : group))
      .concat({
        title: 'Releases',
        pages: [CHANGELOG],
      });
  }
  const operators = Object.entries(OPERATORS).map(([title, names]) => ({
    title: `Operators: ${title}`,
    pages: names.map((name) => pageOf(`docs/operators/${name}.md`, `operators-${name.toLowerCase()}`)),
  }));
  const runbook = projectFiles('docs/operators/runbook/*.md').map((file) => {
    const name = posix.basename(file, '.md');
    return pageOf(file, name === 'README' ? 'operators-runbook' : `operators-runbook-${name}`);
  });
  const decisionsIn = (folder: string) =>
    projectFiles(`${folder}/0*.md`).map((file) => pageOf(file, `decision-${posix.basename(file, '.md')}`));
  return [
    { title: 'Gatepass', pages: [pageOf('README.md', 'index'), CHANGELOG, pageOf('docs/glossary.md', 'glossary')] },
    ...guides.map((group) => ({ ...group, title: `Partners: ${group.title}` })),
    ...operators,
    { title: 'Operators: Runbook', pages: runbook },
    { title: 'Contributors', pages: CONTRIBUTORS.map((name) => pageOf(`docs/${name}.md`, name)) },
    {
      title: 'Decisions',
      pages: [pageOf('docs/decisions/README.md', 'decisions'), ...decisionsIn('docs/decisions')],
    },
    { title: 'Decisions: archive', pages: decisionsIn('docs/decisions/archive') },
  ];
}

const slugOfGuide = (name: string, site: SiteName) =>
  name !== 'README' ? name : site === 'partners' ? 'index' : 'partners';

/** The reference follows the guide about the API. */
function withReference({ title, pages }: Group): Group {
  const [life, api, ...rest] = pages;
  return { title, pages: [life, api, REFERENCE, ...rest].filter((page) => page !== undefined) };
}

/** A link with its text and target, or code, which has no links. */
const LINK_OR_CODE = /^ *```[\s\S]*?^ *```|(?<!!)\[((?:`[^`]*`|[^[\]`])*)\]\(([^()\s]+)\)|`[^`\n]+`/gm;

/** The path of a picture of the project. */
const PICTURE = /(?<=!\[[^\]]*\]\()[^():\s]+(?=\))/g;

/**
 * Returns the Markdown of a page with links for the site: a link to another page is its name, and a link to a file that is no page is
 * text. The pictures are in a folder beside the pages.
 */
export function markdownOf({ file }: SitePage, pages: readonly SitePage[]): string {
  if (file === undefined) return '---\naside: false\nsearch: false\n---\n\n# API reference\n\n<Reference />\n';
  const folder = posix.dirname(file);
  const relink = (whole: string, text?: string, target?: string) => {
    if (text === undefined || target === undefined || /^(?:https?:|mailto:|#)/.test(target)) return whole;
    const [path = '', anchor] = target.split('#');
    const linked = posix.normalize(posix.join(folder, path));
    const page = pages.find((other) => other.file === linked || other.file === posix.join(linked, 'README.md'));
    if (page === undefined) return text;
    return `[${text}](./${page.slug}.md${anchor === undefined ? '' : `#${anchor}`})`;
  };
  const moved = (path: string) => posix.join(folder, path).replace(/^docs\/(?:\w+\/)?(?=pictures\/)/, './');
  return textOf(file).replaceAll(LINK_OR_CODE, relink).replaceAll(PICTURE, moved);
}
