import { expect, it, vi } from 'vitest';
import { issueDuringSilence } from './silent-services.ts';

/** D1 and the queue are silent during many requests. */

it('answers 500 requests within the documented time while D1 and the queue are silent, and loses none', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  await issueDuringSilence(500);
  expect.hasAssertions();
});
