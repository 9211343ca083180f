/** `npm run dev` runs the Worker in a localnet of its own until a signal stops it. */
import { join, relative } from 'node:path';
import { stopChildren } from '../../../terminal/child-process.ts';
import { Failure } from '../../../terminal/failure.ts';
import { type AtEnd, runCommand } from '../../../terminal/run-command.ts';
import { type Gatepass, startGatepass, withWorker } from '../gatepass.ts';
import type { LocalnetFacts } from '../state/localnet-facts.ts';
import {
  LOCALNET_FILE,
  readLocalnetFile,
  removeLocalnetFile,
  removeStaleLocalnetFile,
  removeWorkerFromFile,
  withoutWorker,
  writeLocalnetFile,
} from '../state/localnet-file.ts';
import { openStateFolder, type StateFolder } from '../state/state-folder.ts';
import { startReceiver } from '../webhook/receiver.ts';
import { demandPort, prepareDatabase, startWorker } from '../worker.ts';
import { type DevOptions, devCommand } from './dev-options.ts';
import { firstPassCommands, sandboxCommands } from './first-pass-commands.ts';
import { formatEvent, formatWorkerLine } from './terminal-lines.ts';

let ending = false;

await runCommand(async (atEnd) => {
  await devCommand((options) => dev(options, atEnd)).parseAsync();
  return 0;
});

async function dev(options: DevOptions, atEnd: AtEnd): Promise<void> {
  const state = openStateFolder(options.state);
  atEnd(state.close);
  atEnd(stopChildren);

  const joined = options.localnet === undefined ? undefined : withoutWorker(await readLocalnetFile(options.localnet));
  const { facts, worker } = joined
    ? await joinLocalnet(joined, options, state)
    : await startOwnLocalnet(options, state);
  atEnd(() => (joined ? removeWorkerFromFile(facts) : removeLocalnetFile()));
  // From here on wrangler prints only about its own shutdown.
  atEnd(() => {
    ending = true;
  });
  await writeLocalnetFile(facts);
  atEnd(await receiveEvents(facts));

  console.log(`Gatepass runs at ${facts.baseUrl}. Press Ctrl-C to stop it.`);
  console.log(`API reference to read and try in a browser: ${facts.baseUrl}/docs/reference`);
  console.log(`console to sign in to as staff or operator: ${facts.baseUrl}/console`);
  console.log('partners, as the operator: npm run partner -- list --local (and --help)');
  console.log(`URLs, credentials and process ids: ${relative('.', LOCALNET_FILE)}`);
  console.log(`variables and secrets, in service as soon as you save them: ${join(worker.state, 'worker.env')}\n`);
  console.log(`${firstPassCommands()}\n`);
  if (!options.sandbox) console.log(`${sandboxCommands()}\n`);
  await worker.ended;
  throw new Failure('The Worker has stopped. Run `npm run dev` again.');
}

type Running = Pick<Gatepass, 'facts' | 'worker'>;

/** Starts the Worker and a localnet of its own. */
async function startOwnLocalnet(
  { port, rpc, solanaProgram, sandbox, kms, contract, keys }: DevOptions,
  { folder, kept }: StateFolder,
): Promise<Running> {
  await removeStaleLocalnetFile();
  const onNodeEnd = (network: string) => {
    if (!ending) console.error(`${network}: the node has stopped. The Worker runs on without it.`);
  };
  return startGatepass({
    folder,
    keepChains: kept !== undefined,
    port,
    rpc,
    solanaProgram,
    sandbox,
    kms,
    contract,
    keys,
    onLine: printLine,
    onNodeEnd,
  });
}

/** Starts the Worker in a localnet that another command started. That localnet outlives this command. */
async function joinLocalnet(
  localnet: LocalnetFacts,
  { port, rpc, keys }: DevOptions,
  { folder }: StateFolder,
): Promise<Running> {
  await demandPort(port);
  await demandLocalnet(localnet);
  await writeLocalnetFile(localnet);
  await prepareDatabase(folder);
  const worker = await startWorker({ localnet, state: folder, port, rpc, keys, onLine: printLine });
  return { facts: withWorker(localnet, worker), worker };
}

async function demandLocalnet({ jwksUrl }: LocalnetFacts): Promise<void> {
  const alive = await fetch(jwksUrl).then(
    ({ ok }) => ok,
    () => false,
  );
  if (!alive) throw new Failure('That localnet has stopped. Start one with `npm run localnet`.');
}

/** Prints each event that the Worker delivers. Resolves to a function that stops it. */
async function receiveEvents(facts: LocalnetFacts): Promise<() => void> {
  const { register, stop } = await startReceiver((event) => console.log(formatEvent(event)));
  // The Worker may have a fault that somebody is looking for, so it runs on without a receiver.
  await register(facts).catch(({ message }: Error) => console.error(`No events are shown here: ${message}`));
  return stop;
}

function printLine(line: string): void {
  const shown = ending ? undefined : formatWorkerLine(line);
  if (shown !== undefined) console.log(shown);
}
