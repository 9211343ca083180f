/** `npm run takeover -- scan`: reads the tokens that other software issued for a gatekeeper network. */
import { runTakeoverCommand } from './takeover/run-command.ts';

process.exitCode = await runTakeoverCommand(process.argv.slice(2));
