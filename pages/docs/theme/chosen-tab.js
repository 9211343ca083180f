/** The tab that a reader chose, such as Python. All groups of tabs that have it show it, and the browser keeps the choice. */

const KEY = 'gatepass-tab';

/** Returns the name of the chosen tab; undefined if the reader chose none, or if the browser keeps nothing. */
export function chosenTab() {
  try {
    return globalThis.localStorage?.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the choice, and sends it to the groups of the page. */
export function chooseTab(name) {
  try {
    globalThis.localStorage.setItem(KEY, name);
  } catch {
    // The choice is then only that of this page.
  }
  globalThis.dispatchEvent(new CustomEvent(KEY, { detail: name }));
}

/** Calls the function with each choice from now on. Returns a function that ends this. */
export function onTabChosen(show) {
  const listen = ({ detail }) => show(detail);
  globalThis.addEventListener(KEY, listen);
  return () => globalThis.removeEventListener(KEY, listen);
}
