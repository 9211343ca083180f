/** Keeps Back from the pages of the authorization server. Each of them is for one sign-in, and shows an error later. */

interface Guard {
  /** The number of entries to the page before the sign-in. */
  readonly gatepassBack: number;
}

/**
 * Puts an entry of this page before the view if the authorization server has left pages in the history.
 * @param pages The number of entries that the sign-in has added.
 */
export function guardHistory(pages: number): void {
  if (pages <= 0) return;
  const guard: Guard = { gatepassBack: pages + 1 };
  history.replaceState(guard, '');
  history.pushState(null, '', location.href);
}

/** Passes over the pages of the authorization server when the person goes back. Without a page before them, this one stays. */
export function followHistory(): void {
  const pass = () => {
    const { gatepassBack }: Partial<Guard> = history.state ?? {};
    if (gatepassBack !== undefined) history.go(-gatepassBack);
  };
  addEventListener('popstate', pass);
  // The entry may be from before a reload.
  pass();
}
