import { cloudflarePool } from '@cloudflare/vitest-pool-workers';
import type { Plugin } from 'vitest/config';
import type { PoolRunnerInitializer, PoolWorker, TestProject } from 'vitest/node';
import type { LentLocalnet } from './provided-context.ts';
import { inTurn } from './resource-pool.ts';

type RuntimeOptions = Exclude<Parameters<typeof cloudflarePool>[0], (...context: never) => unknown>;
type OptionsOf = (variables: LentLocalnet['environment']) => Promise<RuntimeOptions>;

/**
 * Lets test files run side by side in the Worker runtime, though each has the gatekeepers' keys and the chains for itself:
 * it is lent a localnet, and the next file gets that one when the runtime of the file is gone. Stands behind `cloudflareTest`,
 * whose way of starting a runtime it takes the place of. `optionsOf`: of the runtime, with the variables of that localnet.
 */
export function lentLocalnets(optionsOf: OptionsOf): Plugin {
  return {
    name: 'lent-localnets',
    configureVitest({ project }) {
      project.config.poolRunner = lending(project, optionsOf);
    },
  };
}

function lending(project: TestProject, optionsOf: OptionsOf): PoolRunnerInitializer {
  let localnets: ReturnType<typeof inTurn<LentLocalnet>> | undefined;
  return {
    name: 'cloudflare-pool',
    createPoolWorker(options): PoolWorker {
      let lent: LentLocalnet | undefined;
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
          // Those who run the localnet beside the tests have said by now which there are.
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
 * The code of a module without its source map, which is as long again: each file's runtime loads all the modules, and where
 * in the source something happened is looked up out here.
 */
function withoutMap<Message>(message: Message): Message {
  const { r: module } = message as Answer;
  const map = module?.code?.lastIndexOf('\n//# sourceMappingURL=data:') ?? -1;
  return map < 0 ? message : { ...message, r: { ...module, code: module?.code?.slice(0, map) } };
}
