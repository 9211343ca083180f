/** The asynchronous form of a function. */
type Loaded<F> = F extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never;

/**
 * Returns functions of a module that load it at their first call, so that it slows down no start. Only for code that no request of a partner needs.
 * @param load Imports the module with `import()`, which the runtime does once.
 */
export function onDemand<Module extends object>(load: () => Promise<Module>) {
  return <Name extends keyof Module>(name: Name): Loaded<Module[Name]> => {
    const call = async (...args: unknown[]) => ((await load())[name] as (...args: unknown[]) => unknown)(...args);
    return call as Loaded<Module[Name]>;
  };
}
