import type { Browser, Page } from '../chromium.ts';

/** A page of an example in the browser. All of it, and the answers of the node, come from this process, so no host is asked. */
export interface ExamplePage {
  readonly tab: Page;
  /** The paths of the page's requests to nodes. */
  readonly asked: ReadonlySet<string>;
  /** Whether the node answers the page. */
  setReachable(isReachable: boolean): void;
}

const ORIGIN = 'http://guide.example';
const DOCUMENT = '<!doctype html><div id="root"></div><script type="module" src="/page.js"></script>';

/**
 * Opens a page with this script.
 * @param node The URL of the node that answers the page's POST requests.
 */
export async function openExamplePage(
  browser: Browser,
  script: string,
  node: string,
  query: Readonly<Record<string, string>>,
): Promise<ExamplePage> {
  let isReachable = true;
  const asked = new Set<string>();
  const tab = await browser.newPage();
  await tab.route('**/*', async (route) => {
    const request = route.request();
    const { pathname } = new URL(request.url());
    if (pathname === '/page.js') return route.fulfill({ contentType: 'text/javascript', body: script });
    if (request.method() !== 'POST') return route.fulfill({ contentType: 'text/html', body: DOCUMENT });
    asked.add(pathname);
    if (!isReachable) return route.abort();
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(node, { method: 'POST', body: request.postData() ?? '', headers });
    return route.fulfill({ contentType: 'application/json', body: await answer.text() });
  });
  // The time of the page passes as usual, and a test may advance it.
  await tab.clock.install();
  await tab.goto(`${ORIGIN}/?${new URLSearchParams(query)}`);
  return {
    tab,
    asked,
    setReachable(value) {
      isReachable = value;
    },
  };
}
