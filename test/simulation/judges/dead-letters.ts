import { readRows } from '../world/database.ts';
import type { World } from '../world/world.ts';

/** A dead letter is stored until the operator redrives it. Its pass settles by its alarm, which the judges of passes see. */
export function faultsOfDeadLetters({ platform, lines, requests, incidents }: World): string[] {
  // A restore loses them, as their passes do without.
  if (incidents.restores.length > 0) return [];
  if (requests.asked.some(({ body }) => Object(body).deadLetters === 'all')) return [];
  const letters = lines.filter((line) => line.includes('"queue.dead_letter"'));
  if (letters.length === 0) return [];
  const stored = new Set(readRows(platform, 'SELECT id FROM dead_letters').map(({ id }) => String(id)));
  const missing = letters.filter((line) => !stored.has((JSON.parse(line) as { message: string }).message));
  return missing.length > 0 ? [`${missing.length} of ${letters.length} dead letters are not stored`] : [];
}
