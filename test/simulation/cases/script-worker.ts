import { consumeScripts } from './consume-script.ts';
import { playScript, type ScriptEnv } from './script-object.ts';

export { ScriptObject } from './script-object.ts';

export default {
  async fetch(request, env) {
    return Response.json(await playScript(await request.json(), env));
  },
  queue: consumeScripts,
} satisfies ExportedHandler<ScriptEnv>;
