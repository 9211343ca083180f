/** `npm run dapp` builds and runs the example dApp (`examples/dapp/`) beside `npm run dev`, until a signal stops it. */
import { stopChildren } from '../../../terminal/child-process.ts';
import { npmCommand } from '../../../terminal/command.ts';
import { Failure } from '../../../terminal/failure.ts';
import { type AtEnd, runCommand } from '../../../terminal/run-command.ts';
import { buildDapp, startDapp } from '../dapp.ts';
import { LOCALNET_FILE, readLocalnetFile } from '../state/localnet-file.ts';

interface Values {
  readonly port: string;
  readonly localnet: string;
}

await runCommand(async (atEnd) => {
  await npmCommand('dapp', 'Runs the example dApp beside `npm run dev`.')
    .option('--port <number>', 'the port of the dApp', '8090')
    .option('--localnet <file>', 'the file of the running localnet', LOCALNET_FILE)
    .action((values: Values) => runDapp(values, atEnd))
    .parseAsync();
  return 1;
});

async function runDapp({ port, localnet }: Values, atEnd: AtEnd): Promise<void> {
  if (!/^\d{1,5}$/.test(port)) throw new Failure('--port must be a number', 2);
  const facts = await readLocalnetFile(localnet);
  atEnd(stopChildren);
  const built = await buildDapp();
  atEnd(built.remove);
  const { url, child } = await startDapp(built, facts, { PORT: port });
  console.log(`The dApp runs at ${url}. Press Ctrl-C to stop it.`);
  await child.ended;
  throw new Failure(`The dApp has stopped: ${child.lastLines.join('\n')}`);
}
