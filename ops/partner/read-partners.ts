import type { ImportedRows } from '../../src/operator/partner-requests.ts';
import type { PartnerRecord } from '../../src/store/partner-record.ts';
import { Failure } from '../../terminal/failure.ts';
import type { AdminCall } from '../admin-api.ts';

/** Returns the items of all pages. Throws Failure if a page comes again, as from a cache. */
async function readPages<Page extends { readonly next: string | null }>(
  call: AdminCall,
  path: string,
): Promise<Page[]> {
  const pages: Page[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page: Page = await call<Page>('GET', `${path}?limit=100${after === undefined ? '' : `&after=${after}`}`);
    if (page.next === after) throw new Failure(`${path} repeats a page: try again`);
    pages.push(page);
    after = page.next;
  }
  return pages;
}

/** Returns all partners. */
export async function listPartners(call: AdminCall): Promise<PartnerRecord[]> {
  type Page = { readonly partners: readonly PartnerRecord[]; readonly next: string | null };
  return (await readPages<Page>(call, '/admin/partners')).flatMap(({ partners }) => partners);
}

/** Returns the rows of all partners and of their gatekeeper networks. */
export async function readRows(call: AdminCall): Promise<ImportedRows> {
  const pages = await readPages<ImportedRows & { readonly next: string | null }>(call, '/admin/partners/export');
  const networks = new Map(
    pages.flatMap(({ gatekeeper_networks }) => gatekeeper_networks.map((row) => [row.key, row])),
  );
  return {
    gatekeeper_networks: [...networks.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
    partners: pages.flatMap(({ partners }) => partners),
  };
}

/** Returns a partner of the gatekeeper network. Throws Failure if there is none, because the service then refuses each change of it. */
export async function demandPartnerOf(call: AdminCall, gatekeeperNetwork: string): Promise<PartnerRecord> {
  const found = (await listPartners(call)).find((each) => each.gatekeeperNetwork === gatekeeperNetwork);
  if (found !== undefined) return found;
  throw new Failure(
    `no partner has the gatekeeper network ${gatekeeperNetwork}: \`npm run partner -- list\` shows them`,
  );
}
