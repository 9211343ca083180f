/** `npm run localnet` runs the localnet without the Worker. `npm run dev -- --localnet .dev/localnet.json` adds the Worker. */
import { relative } from 'node:path';
import type { BuildName } from '../../../ops/network/gateway-build.ts';
import { stopChildren } from '../../../terminal/child-process.ts';
import { npmCommand } from '../../../terminal/command.ts';
import { type AtEnd, runCommand } from '../../../terminal/run-command.ts';
import { startLocalnet } from '../localnet.ts';
import {
  LOCALNET_FILE,
  removeLocalnetFile,
  removeStaleLocalnetFile,
  writeLocalnetFile,
} from '../state/localnet-file.ts';
import type { Hardfork } from '../state/node.ts';
import { openStateFolder } from '../state/state-folder.ts';
import { contractOption, hardforkOption, kmsOption, solanaProgramOption } from './dev-options.ts';

interface Values {
  readonly state?: string;
  readonly solanaProgram?: string;
  readonly kms?: boolean;
  readonly hardfork?: Hardfork;
  readonly contract?: BuildName;
}

await runCommand(async (atEnd) => {
  await npmCommand('localnet', 'Runs the localnet without the Worker until a signal stops it.')
    .option('--state <dir>', 'folder with all state for the next run')
    .addOption(solanaProgramOption())
    .addOption(kmsOption())
    .addOption(hardforkOption())
    .addOption(contractOption())
    .action((values: Values) => runLocalnet(values, atEnd))
    .parseAsync();
  return 0;
});

async function runLocalnet({ state, solanaProgram, kms, hardfork, contract }: Values, atEnd: AtEnd): Promise<void> {
  atEnd(stopChildren);
  await removeStaleLocalnetFile();
  const onNodeEnd = (network: string) =>
    console.error(`${network}: the node has stopped. The localnet runs on without it.`);
  const { facts } = await startLocalnet({
    state: state === undefined ? undefined : openStateFolder(state).folder,
    solanaProgram,
    kms,
    hardfork,
    contract,
    onNodeEnd,
  });
  atEnd(removeLocalnetFile);
  await writeLocalnetFile(facts);

  console.log('The localnet runs: an OAuth server, two Ethereum nodes and a Solana node. Press Ctrl-C to stop it.');
  console.log(`URLs, credentials and process ids: ${relative('.', LOCALNET_FILE)}`);
  console.log('To run the Worker against it: npm run dev -- --localnet .dev/localnet.json');
  return new Promise<never>(() => undefined);
}
