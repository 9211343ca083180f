import { reportDeadLetters } from './consumer/dead-letters.ts';
import { settle } from './consumer/settle.ts';
import { serve } from './http/serve.ts';

export { PassObject } from './pass-object/pass-object.ts';
export { SignerObject } from './signer-object/signer-object.ts';

export default {
  fetch: serve,
  async queue(batch, env) {
    if (batch.queue.endsWith('-dead')) reportDeadLetters(batch);
    else await settle(batch, env);
  },
} satisfies ExportedHandler<Env>;
