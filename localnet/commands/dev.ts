/** `npm run dev`: the Worker in a small localnet of its own, until it is told to end. */
import { relative } from 'node:path';
import { stopChildren } from '../../scripts/child-process.ts';
import { Failure } from '../../scripts/failure.ts';
import { type Gatepass, startGatepass, withWorker } from '../gatepass.ts';
import type { LocalnetFacts } from '../state/localnet-facts.ts';
import {
  LOCALNET_FILE,
  leaveLocalnet,
  outsideOf,
  readLocalnet,
  removeLocalnet,
  removeStaleLocalnet,
  writeLocalnet,
} from '../state/localnet-file.ts';
import { openState, type StateFolder } from '../state/state-folder.ts';
import { demandPort, prepareDatabase, startWorker } from '../worker.ts';
import { type DevOptions, devOptions } from './dev-options.ts';
import { firstPass } from './first-pass.ts';
import { runCommand } from './run-command.ts';
import { shownLine } from './worker-output.ts';

let ending = false;

await runCommand(async (atEnd) => {
  const options = devOptions(process.argv.slice(2));
  const state = openState(options.state);
  atEnd(state.close);
  atEnd(stopChildren);

  const joined = options.localnet === undefined ? undefined : outsideOf(await readLocalnet(options.localnet));
  const { facts, worker } = joined ? await join(joined, options, state) : await startAll(options, state);
  atEnd(() => (joined ? leaveLocalnet(facts) : removeLocalnet()));
  // Whatever wrangler says from then on is about its own end.
  atEnd(() => {
    ending = true;
  });
  await writeLocalnet(facts);

  console.log(`Gatepass answers at ${facts.baseUrl}; ${relative('.', LOCALNET_FILE)} tells the rest. Ctrl-C ends it.`);
  console.log(`What it can do, to be read and tried in a browser: ${facts.baseUrl}/docs\n`);
  console.log(`${firstPass()}\n`);
  await worker.ended;
  throw new Failure('the Worker has ended: start again');
});

type Running = Pick<Gatepass, 'facts' | 'worker'>;

/** The Worker and a localnet of its own. */
async function startAll({ port, rpc, solanaProgram }: DevOptions, { folder, kept }: StateFolder): Promise<Running> {
  await removeStaleLocalnet();
  const onNodeEnd = (network: string) => {
    if (!ending) console.error(`${network}: its node has ended; the Worker goes on without it`);
  };
  return startGatepass({ folder, keepChains: kept !== undefined, port, rpc, solanaProgram, onLine: show, onNodeEnd });
}

/** The Worker in a localnet that another command started, and that goes on when this one ends. */
async function join(localnet: LocalnetFacts, { port, rpc }: DevOptions, { folder }: StateFolder): Promise<Running> {
  await demandPort(port);
  await demandLocalnet(localnet);
  await writeLocalnet(localnet);
  await prepareDatabase(folder);
  const worker = await startWorker({ localnet, state: folder, port, rpc, onLine: show });
  return { facts: withWorker(localnet, worker), worker };
}

async function demandLocalnet({ jwksUrl }: LocalnetFacts): Promise<void> {
  const alive = await fetch(jwksUrl).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!alive) throw new Failure('that localnet has ended: start one with `npm run localnet`');
}

function show(line: string): void {
  const shown = ending ? undefined : shownLine(line);
  if (shown !== undefined) console.log(shown);
}
