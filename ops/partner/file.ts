import * as v from 'valibot';
import { type ImportedRows, PartnerFile } from '../../src/operator/partner-requests.ts';
import { Failure } from '../../terminal/failure.ts';

/** The file with all partners: its form, and the slices in which the API takes it. */

/** Returns the rows as JSON with one row per line, so that an operator can compare two exports. */
export function formatExport({ gatekeeper_networks, partners }: ImportedRows): string {
  const list = (rows: readonly object[]) => rows.map((row) => `\n    ${JSON.stringify(row)}`).join(',');
  return `{\n  "gatekeeper_networks": [${list(gatekeeper_networks)}\n  ],\n  "partners": [${list(partners)}\n  ]\n}`;
}

/** Returns the rows of an export. Throws Failure if the text is not an export. */
export function parseExport(json: string): ImportedRows {
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), PartnerFile), json);
  if (result.success) return result.output;
  const [issue] = result.issues;
  const path = v.getDotPath(issue);
  const why = issue.type === 'check' ? `: ${path ?? 'it'} ${issue.message}` : path === null ? '' : `: see ${path}`;
  throw new Failure(`the file is not an export of partners${why}`, 2);
}

/** A body of the API may have five times as much. A slice is one transaction, which must stay short. */
const SLICE_MAX_BYTES = 60 * 1024;

/** Returns the rows in slices, each of which fits into a body and has the gatekeeper networks of its partners. Throws Failure for a longer row. */
export function slicesOf({ gatekeeper_networks, partners }: ImportedRows): ImportedRows[] {
  const networks = new Map(gatekeeper_networks.map((row) => [row.key, row]));
  const used = new Set(partners.map((row) => row.gatekeeper_network));
  const items = [
    ...partners.map((partner) => ({ partner, network: networks.get(partner.gatekeeper_network) })),
    // A gatekeeper network without a partner.
    ...gatekeeper_networks.filter(({ key }) => !used.has(key)).map((network) => ({ partner: undefined, network })),
  ];
  const slices: { gatekeeper_networks: ImportedRows['gatekeeper_networks']; partners: ImportedRows['partners'] }[] = [];
  let left = 0;
  for (const { partner, network } of items) {
    const bytes = Buffer.byteLength(JSON.stringify([partner, network]));
    if (bytes > SLICE_MAX_BYTES) throw new Failure(`the row of ${partner?.client_id ?? network?.key} is too long`, 2);
    if (bytes > left) {
      slices.push({ gatekeeper_networks: [], partners: [] });
      left = SLICE_MAX_BYTES;
    }
    left -= bytes;
    const slice = slices.at(-1);
    if (partner !== undefined) slice?.partners.push(partner);
    if (network !== undefined && !slice?.gatekeeper_networks.includes(network))
      slice?.gatekeeper_networks.push(network);
  }
  return slices;
}
