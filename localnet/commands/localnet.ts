/** `npm run localnet` runs the localnet without the Worker. `npm run dev -- --localnet .dev/localnet.json` adds the Worker. */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { stopChildren } from '../../scripts/child-process.ts';
import { runCommand } from '../../scripts/run-command.ts';
import { startLocalnet } from '../localnet.ts';
import {
  LOCALNET_FILE,
  removeLocalnetFile,
  removeStaleLocalnetFile,
  writeLocalnetFile,
} from '../state/localnet-file.ts';
import { openStateFolder } from '../state/state-folder.ts';

await runCommand(async (atEnd) => {
  const { values } = parseArgs({ options: { state: { type: 'string' }, 'solana-program': { type: 'string' } } });
  atEnd(stopChildren);
  await removeStaleLocalnetFile();
  const onNodeEnd = (network: string) =>
    console.error(`${network}: the node has stopped. The localnet runs on without it.`);
  const { facts } = await startLocalnet({
    state: values.state === undefined ? undefined : openStateFolder(values.state).folder,
    solanaProgram: values['solana-program'],
    onNodeEnd,
  });
  atEnd(removeLocalnetFile);
  await writeLocalnetFile(facts);

  console.log('The localnet runs: an OAuth server, two Ethereum nodes and a Solana node. Press Ctrl-C to stop it.');
  console.log(`URLs, credentials and process ids: ${relative('.', LOCALNET_FILE)}`);
  console.log('To run the Worker against it: npm run dev -- --localnet .dev/localnet.json');
  return new Promise<never>(() => undefined);
});
