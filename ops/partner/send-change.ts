import type { ImportedRows } from '../../src/operator/partner-requests.ts';
import type { PartnerRecord } from '../../src/store/partner-record.ts';
import { print } from '../../terminal/print.ts';
import type { AdminCall } from '../admin-api.ts';
import { sendApproved, type Waiting, waitingLine } from '../await-approval.ts';
import { readRows } from './read-partners.ts';

/** A request that changes something. */
export interface Write {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: object;
}

export const pathOf = (clientId: string) => `/admin/partners/${encodeURIComponent(clientId)}`;

/**
 * Sends a change, and waits for a second person where the service demands one. Returns the answer; undefined if the console of that person
 * has made the change. Throws Failure if nobody confirmed it.
 */
export async function sendChange(
  call: AdminCall,
  write: Write,
  say: (line: string) => void = print,
  pollMs?: number,
): Promise<unknown> {
  const { method, path, body } = write;
  const first = await call<object | Waiting>(method, path, body);
  if (!('approval' in first)) return first;
  const { id } = first.approval;
  say(waitingLine('the change waits', first));
  const send = () => call<object>(method, path, { ...body, approval: id });
  const left = 'the change is not made';
  return sendApproved(call, id, { send, isDone: () => isDone(call, write), left }, pollMs);
}

/** Whether the service has what a change gives. */
async function isDone(call: AdminCall, { path, body }: Write): Promise<boolean> {
  if ('partners' in body) {
    const { partners } = await readRows(call);
    return (body as ImportedRows).partners.every((row) => partners.some((each) => hasAll(each, row)));
  }
  const { clientId, organization, status } = body as Partial<PartnerRecord>;
  const partner = await call<object>('GET', clientId === undefined ? path : pathOf(clientId)).catch(() => ({}));
  return hasAll(partner, { clientId, organization, status });
}

/** Whether an object has all fields of the other one that are not undefined. */
function hasAll(whole: object, part: object): boolean {
  const found = new Map<string, unknown>(Object.entries(whole));
  return Object.entries(part).every(([name, value]) => value === undefined || found.get(name) === value);
}
