import { GatepassProblem } from './errors.ts';
import type { Pass } from './pass.ts';
import { type Told, waitApplied } from './settled.ts';

/** What `openapi-fetch` makes of an answer. */
interface Answer<Body> {
  readonly data?: Body;
  readonly error?: unknown;
  readonly response: Response;
}

/** The body of a good answer. Throws GatepassProblem for any other. */
export async function bodyOf<Body>(asked: Promise<Answer<Body>>): Promise<Body> {
  const { data, error, response } = await asked;
  if (data === undefined) throw new GatepassProblem(response, error);
  return data;
}

/** The pass of an answer, and how long the service was ready to wait for it. */
export async function told(asked: Promise<Answer<Shown>>): Promise<Told> {
  const pass = passOf(await bodyOf(asked));
  return { pass, ready: waitApplied((await asked).response) };
}

/** What `openapi-fetch` takes a pass for: it does not understand words that may be any. */
type Shown = Pick<Pass, 'id' | 'gatekeeperNetwork' | 'walletAddress'>;
export const passOf = (shown: Shown) => shown as Pass;
