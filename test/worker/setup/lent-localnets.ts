import type { cloudflarePool } from '@cloudflare/vitest-pool-workers';
import type { Plugin } from 'vitest/config';
import type { PoolRunnerInitializer, PoolWorker, TestProject } from 'vitest/node';
import type { LentLocalnet } from './provided-context.ts';
import { inTurn } from './resource-pool.ts';

type Pool = typeof cloudflarePool;
type RuntimeOptions = Exclude<Parameters<Pool>[0], (...context: never) => unknown>;
type OptionsOf = (variables: LentLocalnet['environment']) => Promise<RuntimeOptions>;

/**
 * Lets test files run side by side in the Worker runtime, each with its own gatekeeper keys and chains. Each file borrows a localnet,
 * and the next file gets that one after the runtime of the file ends. This plugin follows `cloudflareTest` and replaces its start of
 * a runtime. `optionsOf` returns the options of the runtime for the variables of that localnet.
 */
export function lentLocalnets(pool: Pool, optionsOf: OptionsOf): Plugin {
  return {
    name: 'lent-localnets',
    configureVitest({ project }) {
      project.config.poolRunner = lending(project, pool, optionsOf);
    },
  };
}

/** All projects borrow from the same localnets, because they have them in common. */
let localnets: ReturnType<typeof inTurn<LentLocalnet>> | undefined;

function lending(project: TestProject, pool: Pool, optionsOf: OptionsOf): PoolRunnerInitializer {
  return {
    name: 'cloudflare-pool',
    createPoolWorker(options): PoolWorker {
      let lent: LentLocalnet | undefined;
      const runtime = pool(() => optionsOf(lent?.environment ?? {})).createPoolWorker(options);
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
          // The global setup has provided the localnets by now.
          localnets ??= inTurn(project.getProvidedContext().localnets);
          lent = await localnets.take();
          await runtime.start();
        },
        async stop() {
          const localnet = lent;
          lent = undefined;
          try {
            await runtime.stop();
          } finally {
            if (localnet) localnets?.giveBack(localnet);
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
 * Returns the code of a module without its source map, which is as long as the code. Each file's runtime loads all modules, and the
 * runner outside looks up source locations.
 */
function withoutMap<Message>(message: Message): Message {
  const { r: module } = message as Answer;
  const map = module?.code?.lastIndexOf('\n//# sourceMappingURL=data:') ?? -1;
  return map < 0 ? message : { ...message, r: { ...module, code: module?.code?.slice(0, map) } };
}
