import { registerHooks } from 'node:module';

/**
 * Loads the Worker's modules as an isolate: with the module `cloudflare:workers` of this folder, and with variables that each new isolate
 * begins with. Importing this module once makes all later imports of the Worker do so.
 */

const SOURCES = ['../../../src/', '../cases/'].map((folder) => new URL(folder, import.meta.url).href);
const REPLACED: Readonly<Record<string, string>> = {
  'cloudflare:workers': new URL('./cloudflare-workers.ts', import.meta.url).href,
  uuid: new URL('./uuid.ts', import.meta.url).href,
};

/** A variable of a module that changes: an empty collection or object, or a `let`. */
const VARIABLE =
  /^(export )?(?:const (\w+)(: [^=\n]+)? = (new \w+(?:<.*>)?\(\))|let (\w+)(: [^=\n]+)?(?: = ([^(\n]+?))?);$/gm;

const restarts: (() => void)[] = [];
Object.assign(globalThis, { __atRestart: (restart: () => void) => restarts.push(restart) });

/** Gives each variable of the Worker's modules its first value, as in an isolate that has just started. */
export function restartIsolate(): void {
  for (const restart of restarts) restart();
}

/** Returns the source with variables that `restartIsolate` sets. The lines keep their numbers. */
export function withRestarts(source: string): string {
  return source.replaceAll(VARIABLE, (_, exported = '', constant, type, made, variable, variableType, value) => {
    const name = constant ?? variable;
    const initial = made ?? value ?? 'undefined';
    return `${exported}let ${name}${type ?? variableType ?? ''} = ${initial}; __atRestart(() => { ${name} = ${initial}; });`;
  });
}

registerHooks({
  resolve(specifier, context, next) {
    const replaced = SOURCES.some((folder) => context.parentURL?.startsWith(folder)) ? REPLACED[specifier] : undefined;
    return replaced === undefined ? next(specifier, context) : { url: replaced, shortCircuit: true };
  },
  load(url, context, next) {
    if (!SOURCES.some((folder) => url.startsWith(folder)) || !url.endsWith('.ts')) return next(url, context);
    const loaded = next(url, context);
    return { ...loaded, source: withRestarts(String(loaded.source)) };
  },
});
