import { type Gatepass, GatepassProblem } from '@gatepass/client';
import type { End } from './parse-time.ts';

/**
 * Returns the clock of the client's sandbox in Unix seconds; undefined if it has none. A client without the scope to search cannot ask,
 * and gets undefined too.
 */
export async function sandboxTime(gatepass: Gatepass): Promise<number | undefined> {
  try {
    return (await gatepass.sandbox.clock()).now;
  } catch (fault) {
    const hasNone = fault instanceof GatepassProblem && ['not_found', 'insufficient_scope'].includes(fault.code);
    if (!hasNone) throw fault;
    return undefined;
  }
}

/** Returns the present of the client's passes in Unix seconds, by the clock of its sandbox, otherwise by that of this machine. */
export const presentTime = async (gatepass: Gatepass): Promise<number> =>
  (await sandboxTime(gatepass)) ?? Math.floor(Date.now() / 1000);

/** Returns the Unix seconds of an end. It asks for the present only for a duration. */
export const secondsOf = async (end: End, gatepass: Gatepass): Promise<number> =>
  typeof end === 'number' ? end : (await presentTime(gatepass)) + end.seconds;
