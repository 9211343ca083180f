import { cloudflarePool } from '@cloudflare/vitest-pool-workers';
import type { Plugin } from 'vitest/config';
import type { PoolRunnerInitializer, PoolWorker, TestProject } from 'vitest/node';
import type { LentWorld } from '../provided.ts';
import { inTurn } from './in-turn.ts';

type RuntimeOptions = Exclude<Parameters<typeof cloudflarePool>[0], (...context: never) => unknown>;
type OptionsOf = (variables: LentWorld['environment']) => Promise<RuntimeOptions>;

/**
 * Lets test files run side by side in the Worker runtime, though each has the gatekeepers' keys and the chains for itself:
 * it is lent a world, and the next file gets that one when the runtime of the file is gone. Stands behind `cloudflareTest`,
 * whose way of starting a runtime it takes the place of. `optionsOf`: of the runtime, with the variables of that world.
 */
export function lentWorlds(optionsOf: OptionsOf): Plugin {
  return {
    name: 'lent-worlds',
    configureVitest({ project }) {
      project.config.poolRunner = lending(project, optionsOf);
    },
  };
}

function lending(project: TestProject, optionsOf: OptionsOf): PoolRunnerInitializer {
  let worlds: ReturnType<typeof inTurn<LentWorld>> | undefined;
  return {
    name: 'cloudflare-pool',
    createPoolWorker(options): PoolWorker {
      let lent: LentWorld | undefined;
      const runtime = cloudflarePool(() => optionsOf(lent?.environment ?? {})).createPoolWorker(options);
      return {
        name: runtime.name,
        on: (event, callback) => runtime.on(event, callback),
        off: (event, callback) => runtime.off(event, callback),
        deserialize: (data) => runtime.deserialize(data),
        send(message) {
          if (message.type !== 'run') return runtime.send(withoutMap(message));
          const { context } = message;
          runtime.send({
            ...message,
            context: { ...context, providedContext: { ...context.providedContext, ...lent } },
          });
        },
        async start() {
          // Those who run the world beside the tests have said by now which there are.
          worlds ??= inTurn(project.getProvidedContext().worlds);
          lent = await worlds.take();
          await runtime.start();
        },
        async stop() {
          const world = lent;
          lent = undefined;
          try {
            await runtime.stop();
          } finally {
            if (world) worlds?.giveBack(world);
          }
        },
      };
    },
  };
}

interface Answer {
  readonly r?: { readonly code?: string };
}

/**
 * The code of a module without its source map, which is as long again: each file's runtime loads all the modules, and where
 * in the source something happened is looked up out here.
 */
function withoutMap<Message>(message: Message): Message {
  const { r: module } = message as Answer;
  const map = module?.code?.lastIndexOf('\n//# sourceMappingURL=data:') ?? -1;
  return map < 0 ? message : { ...message, r: { ...module, code: module?.code?.slice(0, map) } };
}
