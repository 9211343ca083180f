import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { type PassKey, passName } from '../../src/pass/pass.ts';

const { PASSES } = env as Env;

/** Gives the pass object other variables than the deployment until it restarts. */
export const configureObject = (key: PassKey, changes: Readonly<Record<string, string>>): Promise<unknown> =>
  runInDurableObject(PASSES.getByName(passName(key)), (object) =>
    Object.assign(object, { env: { ...env, ...changes } }),
  );
