import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { basePathOf } from '../../../localnet/worker.ts';

let file: string;

beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'gatepass-test-')), 'wrangler.toml');
});

afterEach(() => rmSync(join(file, '..'), { recursive: true }));

it('returns the base path of wrangler.toml unless the variables of the Worker set another one', () => {
  writeFileSync(file, 'name = "x"\n[vars]\nBASE_PATH = "/partner"\n');
  expect(basePathOf({}, file)).toBe('/partner');
  expect(basePathOf({ BASE_PATH: '/own' }, file)).toBe('/own');
  expect(basePathOf({ BASE_PATH: '' }, file)).toBe('');
  writeFileSync(file, 'name = "x"\n');
  expect(basePathOf({}, file)).toBe('');
});
