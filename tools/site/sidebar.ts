import type { DefaultTheme } from 'vitepress';
import { type Group, type SitePage, textOf } from './pages.ts';

/** The sidebar of a site. On the page of the API reference it lists the operations too. */

type Item = DefaultTheme.SidebarItem;

interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId?: string; readonly tags?: readonly string[] }>>>
  >;
}

/** Returns the sidebar by the start of the address. */
export function sidebarOf(groups: readonly Group[]): DefaultTheme.SidebarMulti {
  const withItems = (operations?: Item[]) =>
    groups.map((group) => ({
      text: group.title,
      ...(group.title === 'Decisions' && { collapsed: true }),
      items: group.pages.map((page) => itemOf(page, operations)),
    }));
  return { '/reference': withItems(operationsByTag()), '/': withItems() };
}

function itemOf({ slug, title }: SitePage, operations: Item[] | undefined): Item {
  const link = slug === 'index' ? '/' : `/${slug}`;
  if (slug !== 'reference') return { text: title, link };
  // Its policy names the token endpoint, so the browser has to load it.
  return { text: title, link, target: '_self', rel: '', ...(operations && { items: operations }) };
}

/** Returns the operations of partners in the order of the reference. */
function operationsByTag(): Item[] {
  const { tags, paths }: Document = JSON.parse(textOf('docs/partners/openapi.json'));
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return tags.map(({ name }) => ({
    text: name,
    items: operations.flatMap(({ operationId = '', tags: own }) =>
      own?.[0] === name
        ? { text: wordsOf(operationId), link: `/reference#/${name}/${operationId}`, target: '_self', rel: '' }
        : [],
    ),
  }));
}

/** `issuePass` becomes "Issue pass". */
const wordsOf = (name: string) =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
