/**
 * Stands in for the local rate limiter, which writes each count to a database on disk, where the platform counts in the
 * memory of the machine that the Worker runs on. The binding is the same kind of object in the same place; how much
 * passes is not asked, since a load is to pass. The local runtime loads this file as a plugin of its own.
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

/** What the runtime looks for in a file of plugins. */
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

/** The binding of that name, in the form in which the runtime takes bindings of plugins. */
export function memoryLimitBinding(name: string) {
  const plugin = { package: import.meta.filename, name: 'memory-limits' };
  return { name, type: TYPE.replace('unsafe:', ''), plugin, options: {} };
}
