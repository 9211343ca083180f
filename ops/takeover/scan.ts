import type { ProgressReport } from '../../packages/cli/src/progress-report.ts';
import type { GatekeeperNetwork } from '../../src/network/slot.ts';
import type { NetworkNodes, Nodes } from '../nodes/open-nodes.ts';
import type { NodeOptions } from '../nodes/options.ts';
import { openReader } from '../tokens/open-reader.ts';
import { type Checkpoint, readCheckpoint, removeCheckpoint, writeCheckpoint } from './checkpoint.ts';
import type { Progress } from './progress.ts';
import { demandNewFile, openRows, type RowFile } from './row-file.ts';
import { countRows, summaryOf } from './summary.ts';
import { formatTokens, HEADER, readRows } from './token-rows.ts';

export interface ScanOptions {
  readonly gatekeeperNetwork: GatekeeperNetwork;
  readonly nodes: NodeOptions;
  readonly out: string;
  readonly fromBlock: number | undefined;
  readonly byIndex: boolean;
  readonly gatekeepers: readonly string[];
}

/** How often a scan writes its checkpoint. A killed scan reads the tokens since the last one again. */
const CHECKPOINT_INTERVAL_MS = 1_000;

/**
 * Reads the tokens of all networks into the file, or continues a stopped scan. Returns the lines of the summary. Throws Failure
 * for invalid options, before it writes anything, and if nodes fail.
 */
export async function scan(
  options: ScanOptions,
  { named, slots }: Nodes,
  progress: ProgressReport<Progress>,
  say: (line: string) => void,
): Promise<string[]> {
  const { out } = options;
  const key = keyOf(options, named);
  const before = await readCheckpoint(out, key);
  if (before === undefined) await demandNewFile(out);
  else say(`continues the scan in ${out}`);
  const readers = named.map((nodes) => openReader(nodes, { ...options, slots, say }));
  let at: Checkpoint = before ?? { options: key, length: 0, networks: 0, notes: {} };
  let rows: RowFile | undefined;
  let savedMs = 0;
  let tokens = 0;
  const save = async () => {
    at = { ...at, length: (await rows?.sync()) ?? at.length };
    writeCheckpoint(out, at);
    savedMs = Date.now();
  };
  /** Creates the files after the nodes have answered, so that a wrong endpoint leaves no file. */
  const open = async () => {
    // A file without a checkpoint counts as complete, so the checkpoint is first.
    if (before === undefined) await save();
    rows = await openRows(out, at.length);
    if (at.length === 0) await rows.append(HEADER);
    return rows;
  };
  try {
    for (const [index, read] of readers.entries()) {
      if (index < at.networks) continue;
      const { network } = (named[index] as NetworkNodes).network;
      for await (const page of read(at.position)) {
        await (rows ?? (await open())).append(formatTokens(page.tokens));
        const { position, issuedUpTo, missing, done, total } = page;
        at = { ...at, position, notes: { ...at.notes, [network]: { issuedUpTo, missing } } };
        tokens += page.tokens.length;
        progress.update({ network, done, total, tokens });
        if (Date.now() - savedMs > CHECKPOINT_INTERVAL_MS) await save();
      }
      at = { ...at, networks: index + 1, position: undefined };
    }
    await (rows ?? (await open())).sync();
  } finally {
    progress.stop();
    await rows?.close();
  }
  await removeCheckpoint(out);
  return summarize(options, named, at.notes);
}

/** Returns the options that decide the content of the file. Endpoints may change between two runs. */
function keyOf(
  { gatekeeperNetwork, nodes: { contract }, fromBlock, byIndex, gatekeepers }: ScanOptions,
  named: Nodes['named'],
): string {
  return [
    `--gatekeeper-network ${gatekeeperNetwork}`,
    ...named.map(({ network }) => `--network ${network.network}`),
    ...(contract === undefined ? [] : [`--contract ${contract}`]),
    ...(fromBlock === undefined ? [] : [`--from-block ${fromBlock}`]),
    ...(byIndex ? ['--by-index'] : []),
    ...gatekeepers.map((gatekeeper) => `--gatekeeper ${gatekeeper}`),
  ].join(' ');
}

async function summarize({ out }: ScanOptions, named: Nodes['named'], notes: Checkpoint['notes']): Promise<string[]> {
  const counts = await countRows(readRows(out), Math.floor(Date.now() / 1000));
  const tokens = [...counts.values()].reduce((sum, each) => sum + each.tokens, 0);
  return [
    ...named.flatMap(({ network: { network } }) =>
      summaryOf(network, counts.get(network), notes[network] ?? { issuedUpTo: 0 }),
    ),
    `${out} has ${tokens.toLocaleString('en-US')} tokens`,
  ];
}
