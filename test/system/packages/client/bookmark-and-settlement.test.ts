import { describe, expect, it } from 'vitest';
import { type AskForPass, awaitSettlement } from '../../../../packages/client/src/await-settlement.ts';
import { withBookmark } from '../../../../packages/client/src/bookmark.ts';
import type { Pass } from '../../../../packages/client/src/pass.ts';

/** How the order and the timing of answers affect the client's bookmark and its waiting. */

/** Starts calls through `withBookmark`. The test answers each call with a bookmark, a response or an error. */
function startCalls() {
  const sent: (string | undefined)[] = [];
  const answers: ((answer: string | Response | Error) => void)[] = [];
  const send = withBookmark(({ headers }) => {
    sent.push(headers['gatepass-bookmark']);
    return new Promise((resolve, reject) => {
      answers.push((answer) => {
        if (answer instanceof Error) return reject(answer);
        resolve(answer instanceof Response ? answer : new Response('{}', { headers: { 'gatepass-bookmark': answer } }));
      });
    });
  });
  const call = (method: string) => {
    const coming = send({ url: 'https://api.example.com/pass/ethereum/sepolia', method, headers: {}, body: null });
    const answer = answers.at(-1);
    return async (told: string | Response | Error) => {
      answer?.(told);
      await coming.catch(() => undefined);
    };
  };
  return { sent, call };
}

describe('withBookmark', () => {
  it('sends the bookmark of the last answer with sequential calls', async () => {
    const { sent, call } = startCalls();
    await call('POST')('a');
    await call('GET')('b');
    await call('GET')('c');
    expect(sent).toEqual([undefined, 'a', 'b']);
  });

  it('ignores the bookmark of a read that overlaps another call, because that bookmark may be older', async () => {
    const { sent, call } = startCalls();
    const read = call('GET');
    await call('POST')('changed');
    await read('old');
    call('GET');
    expect(sent.at(-1)).toBe('changed');
  });

  it('asks for the newest data after concurrent changes, until one call overlaps no other', async () => {
    const { sent, call } = startCalls();
    const [first, second] = [call('POST'), call('PATCH')];
    await second('b');
    await first('a');
    const third = call('GET');
    await third('c');
    call('GET');
    expect(sent.slice(2)).toEqual(['newest', 'c']);
  });

  it.each([
    new Error('the connection was reset'),
    new Response('', { status: 504 }),
    new Response('{}', { status: 409 }),
  ])('asks for the newest data after a change with an unknown outcome: %s', async (unknown) => {
    const { sent, call } = startCalls();
    await call('POST')('a');
    const read = call('GET');
    await call('PATCH')(unknown);
    await read('read before it');
    await call('GET')('c');
    call('GET');
    expect(sent.slice(3)).toEqual(['newest', 'c']);
  });

  it('keeps its bookmark after a read without an answer', async () => {
    const { sent, call } = startCalls();
    await call('POST')('a');
    await call('GET')(new Error('the connection was reset'));
    await call('GET')(new Response('{}', { status: 404 }));
    call('GET');
    expect(sent.at(-1)).toBe('a');
  });
});

describe('awaitSettlement', () => {
  const aPass = (id: string) => ({ id, state: 'ACTIVE', walletAddress: 'any' }) as Pass;

  it('takes a pass as settled when the service applied the wait and answered early', async () => {
    const begun = performance.now();
    const hasty = async () => ({ pass: aPass('hasty'), waitSeconds: undefined });
    const settled = async () => ({ pass: aPass('settled'), waitSeconds: 20 });
    expect(await awaitSettlement(hasty, settled, {})).toMatchObject({ id: 'settled' });
    expect(performance.now() - begun).toBeGreaterThan(900);
  });

  it('asks again when the service answered only at the end of the wait', async () => {
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return { pass: aPass('late'), waitSeconds: 1 };
    };
    const settled = async () => ({ pass: aPass('settled'), waitSeconds: 20 });
    expect(await awaitSettlement(late, settled, {})).toMatchObject({ id: 'settled' });
  });

  it('throws an error with the last known pass after the time limit', async () => {
    const late = async () => ({ pass: aPass('late'), waitSeconds: 0 });
    const silent = ({ signal }: { signal: AbortSignal }) =>
      new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
      });
    const begun = performance.now();
    await expect(awaitSettlement(late, silent, { withinMs: 300 })).rejects.toMatchObject({
      name: 'PassNotSettled',
      pass: { id: 'late' },
    });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(295);
    const aborted = awaitSettlement(late, silent, { signal: AbortSignal.timeout(100) });
    await expect(aborted).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('asks for no longer wait than the remaining time', async () => {
    const waits: (number | undefined)[] = [];
    const ask: AskForPass = async ({ wait }) => {
      waits.push(wait);
      return { pass: aPass('settled'), waitSeconds: wait };
    };
    for (const withinMs of [500, 5_000, 60_000]) await awaitSettlement(ask, ask, { withinMs });
    // In 500 ms no wait fits, so the first request has none.
    expect(waits).toEqual([undefined, 1, 3, 20]);
  });
});
