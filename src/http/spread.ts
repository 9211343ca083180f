import { logFault } from '../log/log.ts';
import { sendLooks } from '../message/look.ts';
import type { Granted } from '../pass-object/pass-object.ts';
import { projectPasses } from '../store/passes.ts';

/**
 * What was granted is stored, with an alarm that sees to it: it is accepted, whatever happens here. The read model is for
 * those who read, the message for those who do not want to wait for the alarm.
 */
export async function spread({ projection, changed, settled }: Granted, env: Env): Promise<void> {
  // Unless all is done, also when nothing changed: a partner that asks again is a reason to look again.
  if (!changed && settled) return;
  const { key, id } = projection;
  const failed = (fault: unknown) => logFault('spread', fault, { pass: id });
  const tell = () => sendLooks(env.LOOKS, [key]).catch(failed);
  const project = () =>
    projectPasses(env.DB, [projection]).catch((fault) => {
      failed(fault);
      // A look brings the read model up to date sooner than the alarm of a settled pass, which is in no hurry.
      return settled ? tell() : undefined;
    });
  await Promise.all([project(), settled ? undefined : tell()]);
}
