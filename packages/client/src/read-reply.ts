import { appliedWaitSeconds, type PassReply } from './await-settlement.ts';
import { GatepassProblem } from './errors.ts';
import type { Pass } from './pass.ts';

/** An answer in the form of `openapi-fetch`. */
interface FetchResult<Body> {
  readonly data?: Body | undefined;
  readonly error?: unknown;
  readonly response: Response;
}

/** Returns the body of a successful answer. Throws GatepassProblem for any other. */
export async function readBody<Body>(asked: Promise<FetchResult<Body>>): Promise<Body> {
  const { data, error, response } = await asked;
  if (data === undefined) throw new GatepassProblem(response, error);
  return data;
}

/** Returns the body of a successful answer as the type of its schema, because `openapi-fetch` does not support open lists of values. */
export const readBodyAs = <Body>(asked: Promise<FetchResult<unknown>>) => readBody(asked) as Promise<Body>;

/** Checks a successful answer without a body. Throws GatepassProblem for any other. */
export async function readNothing(asked: Promise<FetchResult<undefined>>): Promise<void> {
  const { error, response } = await asked;
  if (response.status !== 204) throw new GatepassProblem(response, error);
}

/** Returns the pass of an answer, and how long the service was ready to wait for it. */
export async function passReplyOf(asked: Promise<FetchResult<PassBody>>): Promise<PassReply> {
  const pass = passOf(await readBody(asked));
  return { pass, waitSeconds: appliedWaitSeconds((await asked).response) };
}

/** The type of a pass in `openapi-fetch`, which does not support open lists of values. */
type PassBody = Pick<Pass, 'id' | 'gatekeeperNetwork' | 'walletAddress'>;
export const passOf = (shown: PassBody) => shown as Pass;
