/** `npm run dev`: the Worker in a small world of its own, until it is told to end. */
import { relative } from 'node:path';
import { stopChildren } from '../../scripts/child-process.ts';
import { Failure } from '../../scripts/failure.ts';
import { runCommand } from './command.ts';
import { type DevOptions, devOptions } from './dev-options.ts';
import { firstPass } from './first-pass.ts';
import { type Gatepass, startGatepass, withWorker } from './gatepass.ts';
import { openState, type StateFolder } from './state-folder.ts';
import { demandPort, prepareDatabase, startWorker } from './worker.ts';
import { shownLine } from './worker-output.ts';
import type { WorldFacts } from './world-facts.ts';
import {
  leaveWorld,
  outsideOf,
  readWorld,
  removeStaleWorld,
  removeWorld,
  WORLD_FILE,
  writeWorld,
} from './world-file.ts';

let ending = false;

await runCommand(async (atEnd) => {
  const options = devOptions(process.argv.slice(2));
  const state = openState(options.state);
  atEnd(state.close);
  atEnd(stopChildren);

  const joined = options.world === undefined ? undefined : outsideOf(await readWorld(options.world));
  const { facts, worker } = joined ? await join(joined, options, state) : await startAll(options, state);
  atEnd(() => (joined ? leaveWorld(facts) : removeWorld()));
  // Whatever wrangler says from then on is about its own end.
  atEnd(() => {
    ending = true;
  });
  await writeWorld(facts);

  console.log(`Gatepass answers at ${facts.baseUrl}; ${relative('.', WORLD_FILE)} tells the rest. Ctrl-C ends it.`);
  console.log(`What it can do, to be read and tried in a browser: ${facts.baseUrl}/docs\n`);
  console.log(`${firstPass()}\n`);
  await worker.ended;
  throw new Failure('the Worker has ended: start again');
});

type Running = Pick<Gatepass, 'facts' | 'worker'>;

/** The Worker and a world of its own. */
async function startAll({ port, rpc, solanaProgram }: DevOptions, { folder, kept }: StateFolder): Promise<Running> {
  await removeStaleWorld();
  const onNodeEnd = (network: string) => {
    if (!ending) console.error(`${network}: its node has ended; the Worker goes on without it`);
  };
  return startGatepass({ folder, keepChains: kept !== undefined, port, rpc, solanaProgram, onLine: show, onNodeEnd });
}

/** The Worker in a world that another command started, and that goes on when this one ends. */
async function join(world: WorldFacts, { port, rpc }: DevOptions, { folder }: StateFolder): Promise<Running> {
  await demandPort(port);
  await demandWorld(world);
  await writeWorld(world);
  await prepareDatabase(folder);
  const worker = await startWorker({ world, state: folder, port, rpc, onLine: show });
  return { facts: withWorker(world, worker), worker };
}

async function demandWorld({ jwksUrl }: WorldFacts): Promise<void> {
  const alive = await fetch(jwksUrl).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!alive) throw new Failure('that world has ended: start one with `npm run world`');
}

function show(line: string): void {
  const shown = ending ? undefined : shownLine(line);
  if (shown !== undefined) console.log(shown);
}
