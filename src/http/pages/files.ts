/** The files under `/downloads`. `tools/assets/downloads.ts` writes them to the assets, in the versions of this release. */
export const DOWNLOADS = [
  'index.json',
  'gatepass-client.tgz',
  'gatepass-client-0.1.0.tgz',
  'gatepass-cli.tgz',
  'gatepass-cli-0.1.0.tgz',
  'gatepass-contracts.tgz',
  'gatepass-contracts-0.1.0.tgz',
  'gatepass-react.tgz',
  'gatepass-react-0.1.0.tgz',
  'gatepass.py',
  'gatepass-0.1.0.py',
] as const;

export type Download = (typeof DOWNLOADS)[number];
