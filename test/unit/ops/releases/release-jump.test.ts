import { expect, it } from 'vitest';
import { jumpFault } from '../../../../ops/deploy/release-jump.ts';
import { aVersion } from './a-version.ts';

const code = (release: string, previous: string | undefined) => ({
  release,
  previous,
  commit: 'c',
  tag: release,
  operatorSteps: [],
});
const running = (release?: string, previous?: string) => aVersion({ release, previous });

it.each`
  code                        | runs                                             | why
  ${code('1.0.0', undefined)} | ${[]}                                            | ${'the first deployment'}
  ${code('1.0.1', '1.0.0')}   | ${[]}                                            | ${'the first deployment with a later release'}
  ${code('1.0.1', '1.0.0')}   | ${[running('1.0.1', '1.0.0')]}                   | ${'the same release again'}
  ${code('1.0.1', '1.0.0')}   | ${[running('1.0.0')]}                            | ${'the next release'}
  ${code('1.0.0', undefined)} | ${[running('1.0.1', '1.0.0')]}                   | ${'the release before'}
  ${code('1.0.1', '1.0.0')}   | ${[running('1.0.0'), running('1.0.1', '1.0.0')]} | ${'the end of a gradual deployment'}
`('allows $why', ({ code, runs }) => {
  expect(jumpFault(code, runs)).toBeUndefined();
});

it.each`
  code                        | runs                                             | fault
  ${code('1.0.2', '1.0.1')}   | ${[running('1.0.0')]}                            | ${'release 1.0.0 runs, and 1.0.2 can only follow 1.0.1'}
  ${code('1.0.0', undefined)} | ${[running('1.0.2', '1.0.1')]}                   | ${'release 1.0.2 runs, which follows 1.0.1: to return to 1.0.0'}
  ${code('1.0.2', '1.0.1')}   | ${[running('1.0.1', '1.0.0'), running('1.0.0')]} | ${'release 1.0.0 runs, and 1.0.2 can only follow 1.0.1'}
  ${code('1.0.0', undefined)} | ${[running('0.9.0')]}                            | ${'release 0.9.0 runs, and 1.0.0 can only follow nothing'}
  ${code('1.0.0', undefined)} | ${[running()]}                                   | ${'the running version b does not say its release'}
`('refuses code of $code.release: $fault', ({ code, runs, fault }) => {
  expect(jumpFault(code, runs)).toContain(fault);
});
