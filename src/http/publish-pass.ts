import { waitUntil } from 'cloudflare:workers';
import { logFault } from '../log/log.ts';
import { sendProcessPasses } from '../message/process-pass.ts';
import { passName } from '../pass/pass.ts';
import type { Accepted } from '../pass-object/pass-object.ts';
import { publishPass as publishToReadModel, READ_PRIMARY } from '../store/bookmarked-reads.ts';

/**
 * What was granted is stored, with an alarm that sees to it: it is accepted, whatever happens here. The read model is for
 * those who read, the message for those who do not want to wait for the alarm. Returns the bookmark of who has seen it.
 */
export async function publishPass({ publication, changed, settled }: Accepted, env: Env): Promise<string> {
  // Unless all is done, also when nothing changed: a partner that asks again is a reason to look again.
  if (!changed && settled) return READ_PRIMARY;
  const { key, id, version } = publication;
  const failed = (fault: unknown) => logFault('spread', fault, { pass: id });
  const tell = () => sendProcessPasses(env.LOOKS, [{ pass: key }]).catch(failed);
  const rest = async () => env.PASSES.getByName(passName(key)).markPublished(version);
  const project = async () => {
    try {
      const bookmark = await publishToReadModel(env, publication);
      // Others may wait for it to settle; and its alarm need not ring.
      if (settled) waitUntil(rest().catch(failed));
      return bookmark;
    } catch (fault) {
      failed(fault);
      // A look brings the read model up to date sooner than the alarm of a settled pass, which is in no hurry.
      if (settled) await tell();
      return READ_PRIMARY;
    }
  };
  const [bookmark] = await Promise.all([project(), settled ? undefined : tell()]);
  return bookmark;
}
