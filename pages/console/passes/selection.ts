import type { FoundPass } from '../api/records.ts';
import { createListeners } from '../layout/listeners.ts';

/** The passes that the person has marked in lists. A reload drops them. */

const selected = new Map<string, FoundPass>();
const { notify, useChanges } = createListeners();

/** Marks passes, or removes their marks. */
export function select(passes: readonly FoundPass[], isSelected: boolean): void {
  for (const pass of passes) {
    if (isSelected) selected.set(pass.id, pass);
    else selected.delete(pass.id);
  }
  notify();
}

/** Returns the marked passes by their ids, and renders again when the marks change. */
export function useSelection(): ReadonlyMap<string, FoundPass> {
  useChanges();
  return selected;
}
