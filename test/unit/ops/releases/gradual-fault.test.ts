import { expect, it } from 'vitest';
import { gradualFault } from '../../../../ops/deploy/gradual-fault.ts';
import { aVersion } from './a-version.ts';

it('allows a release beside one version with the same classes', () => {
  expect(gradualFault('v1', [aVersion({ classes: 'v1' })])).toBeUndefined();
});

it.each`
  runs                                  | fault
  ${[]}                                 | ${'--percent needs a running release'}
  ${[aVersion(), aVersion()]}           | ${'a gradual deployment runs already'}
  ${[aVersion({ classes: 'v0' })]}      | ${'the release migrates the classes of Durable Objects to v1'}
  ${[aVersion({ classes: undefined })]} | ${'the release migrates the classes of Durable Objects to v1'}
`('refuses a gradual deployment: $fault', ({ runs, fault }) => {
  expect(gradualFault('v1', runs)).toContain(fault);
});
