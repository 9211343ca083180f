/** `npm run localnet`: what lies outside the Worker, alone; `npm run dev -- --localnet .dev/localnet.json` joins it. */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { stopChildren } from '../../scripts/child-process.ts';
import { startLocalnet } from '../localnet.ts';
import { LOCALNET_FILE, removeLocalnet, removeStaleLocalnet, writeLocalnet } from '../state/localnet-file.ts';
import { openState } from '../state/state-folder.ts';
import { runCommand } from './run-command.ts';

await runCommand(async (atEnd) => {
  const { values } = parseArgs({ options: { state: { type: 'string' }, 'solana-program': { type: 'string' } } });
  atEnd(stopChildren);
  await removeStaleLocalnet();
  const onNodeEnd = (network: string) =>
    console.error(`${network}: its node has ended; the localnet goes on without it`);
  const { facts } = await startLocalnet({
    state: values.state === undefined ? undefined : openState(values.state).folder,
    solanaProgram: values['solana-program'],
    onNodeEnd,
  });
  atEnd(removeLocalnet);
  await writeLocalnet(facts);

  console.log(`The localnet runs; ${relative('.', LOCALNET_FILE)} tells where. Ctrl-C ends it.`);
  console.log('npm run dev -- --localnet .dev/localnet.json');
  return new Promise<never>(() => undefined);
});
