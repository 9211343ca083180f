import { AnswerTooLarge, GatepassProblem, GatepassTokenError, GatepassUnreachable } from '@gatepass/client';
import { refusalLine } from './refusal-words.ts';

/** The command cannot run, or it cannot continue. The message is one line that says what to do. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Returns one line that says what is wrong, and what to do about it where the service does not say so. */
export function describeFault(fault: unknown): string {
  if (fault instanceof AnswerTooLarge) return fault.message;
  if (fault instanceof Error && fault.cause instanceof AnswerTooLarge) return fault.cause.message;
  if (fault instanceof GatepassUnreachable) return `${fault.message}: check GATEPASS_URL and your network`;
  if (fault instanceof GatepassTokenError)
    return `${fault.message}: check GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID and GATEPASS_CLIENT_SECRET`;
  if (fault instanceof GatepassProblem) return refusalLine(fault);
  if (fault instanceof Failure) return fault.message;
  const { code, path, message } = fault as NodeJS.ErrnoException;
  const reason = code === undefined ? undefined : FILE_FAULTS[code];
  if (reason !== undefined) return `${path ?? 'a file'}: ${reason}`;
  // Only the service knows its answers, so nothing else checks each of their fields.
  if (fault instanceof TypeError || fault instanceof RangeError)
    return `an answer does not have the form that this command knows: is GATEPASS_URL the URL of the service? (${message})`;
  return message ?? String(fault);
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  EACCES: 'the permission is missing',
  EPERM: 'the permission is missing',
  EROFS: 'the file system is read-only',
  ENOENT: 'the file or its folder does not exist',
  EISDIR: 'this is a folder, not a file',
  ENOTDIR: 'a part of the path is not a folder',
  ENOSPC: 'the disk is full',
};
