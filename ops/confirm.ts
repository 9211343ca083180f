import { Option } from 'commander';
import { askYesNo } from '../packages/cli/src/ask-yes-no.ts';
import { Failure } from '../terminal/failure.ts';

/** The option of a command that asks before it changes something. */
export const yesOption = () => new Option('--yes', 'does not ask for a confirmation');

/** Throws Failure unless the operator confirms on the terminal, or has given `--yes`. */
export async function confirm(question: string, { yes }: { readonly yes?: boolean | undefined }): Promise<void> {
  const isYes = yes || (await askYesNo(question, process.stdin, process.stdout));
  if (isYes === undefined) throw new Failure('nothing was changed: confirm with --yes', 2);
  if (!isYes) throw new Failure('nothing was changed');
}
