import { describe, expect, it } from 'vitest';
import { boundCalls } from '../../../src/message/call-object.ts';
import { sendProcessPasses } from '../../../src/message/queue.ts';
import type { PassKey } from '../../../src/pass/pass.ts';

/** Background work ends although its counterpart never answers. */

const never = () => new Promise<never>(() => {});

describe('a stub with bounded calls', () => {
  it('returns the answer of the object, with its arguments and its own properties', async () => {
    const stub = { id: 'an id', add: async (a: number, b: number) => a + b };
    const bound = boundCalls(stub, 'the object', 1_000);
    expect([await bound.add(1, 2), bound.id, await (async () => bound)()]).toEqual([3, 'an id', bound]);
  });

  it('fails after the time limit if the object does not answer', async () => {
    await expect(boundCalls({ never }, 'the object', 10).never()).rejects.toThrow(
      'the object did not answer within 10 ms',
    );
  });

  it('passes on the failure of the object', async () => {
    const fail = () => Promise.reject(new Error('it was reset'));
    await expect(boundCalls({ fail }, 'the object', 1_000).fail()).rejects.toThrow('it was reset');
  });
});

it('ends the sending to a queue that does not answer', async () => {
  const queue = { sendBatch: never } as unknown as Queue;
  await expect(sendProcessPasses(queue, [{ pass: {} as PassKey }], 10)).rejects.toThrow(
    'the queue did not answer within 10 ms',
  );
});
