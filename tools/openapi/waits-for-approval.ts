import * as v from 'valibot';
import type { ProblemCode } from '../../src/http/protocol/problem.ts';
import { WaitsForApproval } from './schemas/revocations.ts';

/** The parts of operations that may wait for a second person. */

export const WAITS_TEXT = 'Above a number of `SECOND_PERSON`, the action waits for another person.';
export const APPROVAL_REFUSALS: readonly ProblemCode[] = ['not_found', 'another_person_required', 'approval_not_valid'];

export const resultOrApproval = (body: v.GenericSchema) => v.union([body, WaitsForApproval]);
