/** `npm run world`: what lies outside the Worker, alone; `npm run dev -- --world .dev/world.json` joins it. */
import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { stopChildren } from '../../scripts/child-process.ts';
import { runCommand } from './command.ts';
import { openState } from './state-folder.ts';
import { startWorld } from './world.ts';
import { removeStaleWorld, removeWorld, WORLD_FILE, writeWorld } from './world-file.ts';

await runCommand(async (atEnd) => {
  const { values } = parseArgs({ options: { state: { type: 'string' }, 'solana-program': { type: 'string' } } });
  atEnd(stopChildren);
  await removeStaleWorld();
  const onNodeEnd = (network: string) => console.error(`${network}: its node has ended; the world goes on without it`);
  const { facts } = await startWorld({
    state: values.state === undefined ? undefined : openState(values.state).folder,
    solanaProgram: values['solana-program'],
    onNodeEnd,
  });
  atEnd(removeWorld);
  await writeWorld(facts);

  console.log(`The world runs; ${relative('.', WORLD_FILE)} tells where. Ctrl-C ends it.`);
  console.log('npm run dev -- --world .dev/world.json');
  return new Promise<never>(() => undefined);
});
