import { expect, it } from 'vitest';
import { secretChangeFault } from '../../../../ops/deploy/secret-change-fault.ts';
import { aVersion } from './a-version.ts';

const OLD = aVersion({ id: 'a', release: '1.0.0' });
const NEW = aVersion({ id: 'b', release: '1.0.1' });

it('has no fault while the newest version answers all requests, or nothing runs', () => {
  expect(secretChangeFault('production', [NEW], [NEW, OLD])).toBeUndefined();
  expect(secretChangeFault('production', [], [])).toBeUndefined();
});

it.each`
  situation                      | running                                                     | release
  ${'after a rollback'}          | ${[OLD]}                                                    | ${'1.0.0'}
  ${'in a gradual deployment'}   | ${[{ ...NEW, percentage: 10 }, { ...OLD, percentage: 90 }]} | ${'1.0.0'}
  ${'after most requests moved'} | ${[{ ...OLD, percentage: 10 }, { ...NEW, percentage: 90 }]} | ${'1.0.1'}
`('names the code to deploy $situation', ({ running, release }) => {
  expect(secretChangeFault('production', running, [NEW, OLD])).toContain(
    `now b, answers all requests. Deploy the code that shall run, which makes it the newest version, and repeat this command: ` +
      `git checkout v${release} && npm ci && npm run deploy -- --env production`,
  );
});

it('names no release for a version without one', () => {
  const unnamed = { ...OLD, release: undefined };
  expect(secretChangeFault('production', [unnamed], [NEW])).toMatch(/command: npm run deploy -- --env production$/);
});
