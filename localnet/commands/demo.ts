/** `npm run demo`: leads a pass on each chain through its whole life, for real, and lets the chain have the last word. */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { stopChildren } from '../../scripts/child-process.ts';
import { table } from '../../scripts/table.ts';
import { startGatepass } from '../gatepass.ts';
import { LIFE } from '../partner/pass-life.ts';
import { openState } from '../state/state-folder.ts';
import { HEADS, walk } from './demo/walk.ts';
import { runCommand } from './run-command.ts';
import { shownLine } from './worker-output.ts';

const INTERRUPTED = 1;
/** One of each chain. */
const NETWORKS = ['sepolia', 'devnet'];

await runCommand(async (atEnd) => {
  const { values } = parseArgs({ options: { 'solana-program': { type: 'string' } } });
  const state = openState();
  atEnd(state.close);
  atEnd(stopChildren);
  console.log('Starting an OAuth server, two Ethereum nodes, a Solana node and the Worker …');
  const { facts, worker } = await startGatepass({ folder: state.folder, solanaProgram: values['solana-program'] });

  const outcomes = (await Promise.all(NETWORKS.map((network) => walk(facts, network)))).flat();
  const rows = outcomes.map(({ row }) => row);
  console.log(`\n${table(HEADS, rows)}\n`);
  const asAsked = outcomes.filter(({ good }) => good).length;
  const stages = NETWORKS.length * LIFE.length;
  console.log(`${asAsked} of ${stages} stages are as asked, by the word of the chain.`);
  if (asAsked === stages) return 0;
  const log = (await readFile(worker.logFile, 'utf8')).split('\n').map(shownLine).filter(isNews);
  console.error(`\nThe Worker's last words:\n${log.slice(-30).join('\n')}`);
  return 1;
}, INTERRUPTED);

/** Not the partners' own requests, of which there are many while they wait. */
function isNews(line: string | undefined): boolean {
  return Boolean(line) && !/^at=request .* status=2/.test(line ?? '');
}
