import * as v from 'valibot';
import type { ProblemCode } from '../../src/http/protocol/problem.ts';
import { WaitsForApproval } from './schemas/revocations.ts';

/** The parts of operations that may wait for a second person. */

export const OR_WAITS = 'Above a number of `SECOND_PERSON`, the action waits for another person.';
export const OF_APPROVALS: readonly ProblemCode[] = ['not_found', 'another_person_required', 'approval_not_valid'];

export const orWaits = (body: v.GenericSchema) => v.union([body, WaitsForApproval]);
