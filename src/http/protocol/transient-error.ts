/**
 * Whether a fault of the platform passes by itself, so that the caller should try again: D1 and Durable Objects say
 * so in their own ways.
 */
export function isTransient(fault: unknown): boolean {
  if (!(fault instanceof Error)) return false;
  const { retryable, overloaded } = fault as { retryable?: boolean; overloaded?: boolean };
  return retryable === true || overloaded === true || fault.message.startsWith('D1_ERROR');
}
