/** `npm run demo` takes one pass per chain through its whole life, checks every stage on chain and its delivered event, and lists the wallets of the sandbox. */
import { readFile } from 'node:fs/promises';
import type { BuildName } from '../../../ops/network/gateway-build.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { npmCommand } from '../../../terminal/command.ts';
import { formatTable } from '../../../terminal/print.ts';
import { type AtEnd, runCommand } from '../../../terminal/run-command.ts';
import { startGatepass } from '../gatepass.ts';
import { LIFE_STAGES } from '../partner/pass-life.ts';
import type { Hardfork } from '../state/node.ts';
import { openStateFolder } from '../state/state-folder.ts';
import { startReceiver } from '../webhook/receiver.ts';
import { Deliveries } from './demo/deliveries.ts';
import { COLUMN_HEADS, runPassLife } from './demo/run-pass-life.ts';
import { CASE_HEADS, runSandboxCases } from './demo/run-sandbox-cases.ts';
import { contractOption, hardforkOption, kmsOption, solanaProgramOption } from './dev-options.ts';
import { formatWorkerLine } from './terminal-lines.ts';

const INTERRUPTED_EXIT_CODE = 1;
/** One network per chain. */
const NETWORKS = ['sepolia', 'devnet'];

interface Values {
  readonly solanaProgram?: string;
  readonly kms?: boolean;
  readonly hardfork?: Hardfork;
  readonly contract?: BuildName;
}

await runCommand(async (atEnd) => {
  let reachesAll = false;
  await npmCommand('demo', 'Takes one pass per chain through its whole life.')
    .addOption(solanaProgramOption())
    .addOption(kmsOption())
    .addOption(hardforkOption())
    .addOption(contractOption())
    .action(async (values: Values) => {
      reachesAll = await runDemo(values, atEnd);
    })
    .parseAsync();
  return reachesAll ? 0 : 1;
}, INTERRUPTED_EXIT_CODE);

/** Returns whether every stage has the expected result. */
async function runDemo({ solanaProgram, kms = false, hardfork, contract }: Values, atEnd: AtEnd): Promise<boolean> {
  const state = openStateFolder();
  atEnd(state.close);
  atEnd(stopChildren);
  const nodes = hardfork === undefined ? 'two Ethereum nodes' : `two Ethereum nodes with ${hardfork}`;
  const started = ['an OAuth server', nodes, 'a Solana node', ...(kms ? ['a KMS with the keys'] : [])];
  console.log(`Starting ${started.join(', ')} and the Worker …`);
  const gatepass = await startGatepass({ folder: state.folder, solanaProgram, kms, hardfork, contract });
  const { facts, worker } = gatepass;

  const deliveries = new Deliveries();
  const receiver = await startReceiver((event) => deliveries.add(event));
  atEnd(receiver.stop);
  await receiver.register(facts);

  const outcomes = (await Promise.all(NETWORKS.map((network) => runPassLife(facts, network, deliveries)))).flat();
  const rows = outcomes.map(({ row }) => row);
  console.log(`\n${formatTable(COLUMN_HEADS, rows)}\n`);
  const reachedCount = outcomes.filter(({ isAsExpected }) => isAsExpected).length;
  const stages = NETWORKS.length * LIFE_STAGES.length;
  console.log(`${reachedCount} of ${stages} stages have the expected result, checked on chain, and a delivered event.`);
  if (gatepass.kms)
    console.log(`The KMS has signed ${gatepass.kms.readCalls().sign} times, and the Worker has no key.`);
  const cases = await runSandboxCases(facts);
  console.log(
    `\nThe wallets of the sandbox:\n${formatTable(
      CASE_HEADS,
      cases.map(({ row }) => row),
    )}\n`,
  );
  const shownCount = cases.filter(({ isAsExpected }) => isAsExpected).length;
  console.log(`${shownCount} of ${cases.length} wallets of the sandbox have the expected result.`);
  if (reachedCount === stages && shownCount === cases.length) return true;
  const log = (await readFile(worker.logFile, 'utf8')).split('\n').map(formatWorkerLine).filter(isWorthShowing);
  console.error(`\nThe last lines of the Worker's log:\n${log.slice(-30).join('\n')}`);
  return false;
}

/** Leaves out successful requests: the demo polls while it waits, so there are many. */
function isWorthShowing(line: string | undefined): boolean {
  return Boolean(line) && !/^event=request\.answered .* status=2/.test(line ?? '');
}
