import { expect, it } from 'vitest';
import { measureBlockMs } from '../../../src/chain/block-age.ts';

const USUAL_MS = 1_000;

it.each`
  blocks | seconds | ms        | why
  ${8}   | ${8}    | ${1_000}  | ${'the chain is as fast as usual'}
  ${100} | ${45}   | ${450}    | ${'the chain is faster'}
  ${8}   | ${20}   | ${2_500}  | ${'the chain is slower'}
  ${8}   | ${0}    | ${1_000}  | ${'blocks of the same second show no time'}
  ${0}   | ${30}   | ${1_000}  | ${'no block shows no time'}
  ${-8}  | ${-8}   | ${1_000}  | ${'the later block is the earlier one'}
  ${8}   | ${-30}  | ${1_000}  | ${'the clock goes backward'}
  ${8}   | ${NaN}  | ${1_000}  | ${'the time is no number'}
  ${8}   | ${9e9}  | ${10_000} | ${'a clock that far ahead is wrong'}
  ${9e9} | ${8}    | ${100}    | ${'no chain makes a billion blocks a second'}
`('$blocks blocks in $seconds s take $ms ms each: $why', ({ blocks, seconds, ms }) => {
  const earlier = { height: 1_000_000, time: 1_790_000_000 };
  const later = { height: earlier.height + blocks, time: earlier.time + seconds };
  expect(measureBlockMs(earlier, later, USUAL_MS)).toBe(ms);
});
