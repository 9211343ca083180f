import { expect, it } from 'vitest';
import { basePathOf } from '../../../../tools/localnet/worker.ts';

it('returns the base path of wrangler.toml unless the variables of the Worker set another one', () => {
  const defaults = { BASE_PATH: '/partner' };
  expect(basePathOf({}, defaults)).toBe('/partner');
  expect(basePathOf({ BASE_PATH: '/own' }, defaults)).toBe('/own');
  expect(basePathOf({ BASE_PATH: '' }, defaults)).toBe('');
  expect(basePathOf({}, {})).toBe('');
});
