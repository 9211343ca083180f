/** The operator's command `npm run restore`: restores a database, so that its event feeds use no sequence twice. */
import { runRestoreCommand } from './restore/run-command.ts';

process.exitCode = await runRestoreCommand(process.argv.slice(2));
