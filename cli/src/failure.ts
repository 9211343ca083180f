/** The command cannot run, or it cannot continue. The message is one line that says what to do. */
export class Failure extends Error {
  override readonly name = 'Failure';
}
