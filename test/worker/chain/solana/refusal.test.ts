import { describe, expect, it } from 'vitest';
import { lacksFunds, nameOf, resultOfError } from '../../../../src/chain/solana/gateway.ts';

const GATEWAY = 'gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs';
const SYSTEM = '11111111111111111111111111111111';
const custom = (number: number) => ({ InstructionError: [2, { Custom: number }] });
const failedIn = (...programs: string[]) => programs.map((each) => `Program ${each} failed: custom program error: 0x1`);

describe('the error of a simulation', () => {
  it.each`
    error                                                     | logs                         | finding                                                                                         | why
    ${custom(0)}                                              | ${failedIn(GATEWAY)}         | ${{ type: 'refused' }}                                                                          | ${'the gateway program says so'}
    ${custom(2)}                                              | ${failedIn(GATEWAY)}         | ${{ type: 'not-now', blocks: 'step' }}                                                          | ${'the token is gone meanwhile'}
    ${custom(3)}                                              | ${failedIn(GATEWAY)}         | ${{ type: 'not-now', blocks: 'step' }}                                                          | ${'the token was revoked meanwhile'}
    ${custom(5)}                                              | ${failedIn(GATEWAY)}         | ${{ type: 'not-now', blocks: 'step', why: 'the simulation failed: InvalidStateChange' }}        | ${'the token has another state meanwhile'}
    ${custom(8)}                                              | ${failedIn(GATEWAY)}         | ${{ type: 'refused' }}                                                                          | ${'the gateway program says so'}
    ${{ InstructionError: [2, 'IncorrectProgramId'] }}        | ${failedIn(GATEWAY)}         | ${{ type: 'not-now', blocks: 'step' }}                                                          | ${'the token was burned meanwhile'}
    ${custom(6)}                                              | ${failedIn(GATEWAY)}         | ${{ type: 'not-now', blocks: 'lane' }}                                                          | ${'the gatekeeper can be added'}
    ${custom(1)}                                              | ${failedIn(SYSTEM, GATEWAY)} | ${{ type: 'not-now', blocks: 'signer' }}                                                        | ${'the system program has too few lamports'}
    ${custom(0)}                                              | ${failedIn(SYSTEM, GATEWAY)} | ${{ type: 'not-now', blocks: 'step' }}                                                          | ${'the system program finds an account there'}
    ${custom(6)}                                              | ${failedIn(SYSTEM, GATEWAY)} | ${{ type: 'not-now', blocks: 'step', code: 'unknown-step-error' }}                              | ${'the number is the system program’s'}
    ${custom(0)}                                              | ${[]}                        | ${{ type: 'not-now', blocks: 'step', code: 'unknown-step-error' }}                              | ${'nobody knows whose number it is'}
    ${custom(77)}                                             | ${failedIn(GATEWAY)}         | ${{ type: 'not-now', blocks: 'lane', code: 'unknown-contract-error', detail: 'Custom(77)' }}    | ${'nobody knows the number'}
    ${{ InstructionError: [2, 'AccountAlreadyInitialized'] }} | ${failedIn(GATEWAY)}         | ${{ type: 'not-now', blocks: 'step', why: 'the simulation failed: AccountAlreadyInitialized' }} | ${'it was issued meanwhile'}
    ${{ InstructionError: [2, 'BorshIoError'] }}              | ${failedIn(GATEWAY)}         | ${{ type: 'not-now', blocks: 'step', code: 'unknown-step-error' }}                              | ${'an older build cannot change its token'}
    ${'AccountNotFound'}                                      | ${[]}                        | ${{ type: 'not-now', blocks: 'signer' }}                                                        | ${'the payer has nothing'}
    ${{ InsufficientFundsForRent: { account_index: 0 } }}     | ${[]}                        | ${{ type: 'not-now', blocks: 'signer' }}                                                        | ${'the payer would fall below its rent'}
    ${'ProgramAccountNotFound'}                               | ${[]}                        | ${{ type: 'not-now', blocks: 'signer' }}                                                        | ${'there is no program'}
    ${'BlockhashNotFound'}                                    | ${[]}                        | ${{ type: 'not-now', blocks: 'step' }}                                                          | ${'it passes'}
    ${undefined}                                              | ${[]}                        | ${{ type: 'not-now', blocks: 'step' }}                                                          | ${'the node said nothing'}
    ${{}}                                                     | ${[]}                        | ${{ type: 'not-now', blocks: 'step' }}                                                          | ${'the node said nothing'}
    ${{ InstructionError: null }}                             | ${[]}                        | ${{ type: 'not-now', blocks: 'step' }}                                                          | ${'the node said nothing'}
  `('classifies the error of a simulation as $finding when $why', ({ error, logs, finding }) => {
    expect(resultOfError(error, logs)).toMatchObject(finding);
  });
});

it('the name of an error can be logged, whatever a node says', () => {
  expect(nameOf('AlreadyProcessed')).toBe('AlreadyProcessed');
  expect(nameOf({ InsufficientFundsForRent: {} })).toBe('InsufficientFundsForRent');
  for (const odd of ['https://rpc.example/?key=1234', '', null, undefined, 5, [], 'x'.repeat(100)]) {
    expect(nameOf(odd)).toMatch(/^(unknown|0)$/);
  }
});

it('tells a lack of funds from other errors', () => {
  expect(lacksFunds('InsufficientFundsForFee')).toBe(true);
  expect(lacksFunds('ProgramAccountNotFound')).toBe(false);
  expect(lacksFunds(undefined)).toBe(false);
});
