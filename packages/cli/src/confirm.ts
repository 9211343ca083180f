import { askYesNo } from './ask-yes-no.ts';
import { Failure } from './failure.ts';
import { EXIT, type Session } from './session.ts';

/**
 * Asks before a destruction. Throws Failure if there is no terminal, or if the answer is not yes. Ctrl-C ends the command.
 * @param deed The destruction as a noun, for example `the revocation`.
 */
export async function confirm(
  question: string,
  deed: string,
  { yes }: { readonly yes?: boolean | undefined },
  { stdin, stderr }: Session,
): Promise<void> {
  if (yes) return;
  const isYes = await askYesNo(question, stdin, stderr.stream, () => process.exit(EXIT.interrupted));
  if (isYes === undefined) throw new Failure(`there is no terminal to confirm ${deed}: add --yes`);
  if (!isYes) throw new Failure('nothing was sent');
}
