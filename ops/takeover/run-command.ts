import { reportFailure } from '../../scripts/failure.ts';
import { print, printError } from '../../scripts/print.ts';
import { openNodes } from '../nodes/open-nodes.ts';
import { parseTakeoverCommand, USAGE } from './options.ts';
import { reportProgress } from './progress.ts';
import { scan } from './scan.ts';

/** Runs the command, prints its result, and returns the exit code. */
export async function runTakeoverCommand(args: readonly string[]): Promise<number> {
  try {
    if (args.includes('--help')) {
      print(...USAGE.split('\n'));
      return 0;
    }
    const options = parseTakeoverCommand(args);
    const summary = await scan(options, openNodes(options.nodes), reportProgress(), printError);
    print(...summary);
    return 0;
  } catch (error) {
    return reportFailure(error);
  }
}
