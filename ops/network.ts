/** The operator's command `npm run network -- VERB`: creates and changes a gatekeeper network on the chains themselves. */
import { runNetworkCommand } from './network/run-command.ts';

process.exitCode = await runNetworkCommand(process.argv.slice(2));
