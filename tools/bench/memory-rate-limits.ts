/**
 * Replaces the local rate limiter, which writes each count to a database on disk, while the platform counts in the memory of the
 * Worker's machine. The binding is the same kind of object in the same place. It refuses nothing, because a load must pass. The
 * local runtime loads this file as a plugin.
 */

const TYPE = 'unsafe:memory-limit';
const MODULE = 'cloudflare-internal:memory-limits';

const SOURCE = `
  const counts = new Map();
  class MemoryLimit {
    async limit({ key }) {
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return { success: count > 0 };
    }
  }
  export default () => new MemoryLimit();`;

interface WorkerOptions {
  readonly config: { readonly env?: Readonly<Record<string, { readonly type: string }>> };
}

const bindingNamesIn = ({ config: { env = {} } }: WorkerOptions) =>
  Object.entries(env).flatMap(([name, { type }]) => (type === TYPE ? [name] : []));

/** The export that the runtime expects in a plugin file. */
export const plugins = {
  'memory-limits': {
    getBindings: (options: WorkerOptions) =>
      bindingNamesIn(options).map((name) => ({ name, wrapped: { moduleName: MODULE, innerBindings: [] } })),
    getNodeBindings: () => ({}),
    getServices: () => [],
    getExtensions: ({ options }: { options: readonly WorkerOptions[] }) =>
      options.some((worker) => bindingNamesIn(worker).length > 0)
        ? [{ modules: [{ name: MODULE, esModule: SOURCE, internal: true }] }]
        : [],
  },
};

/** Returns the binding of that name in the runtime's form for plugins. */
export function memoryLimitBinding(name: string) {
  const plugin = { package: import.meta.filename, name: 'memory-limits' };
  return { name, type: TYPE.replace('unsafe:', ''), plugin, options: {} };
}
