import { useLayoutEffect, useState } from 'preact/hooks';
import type { FoundPass } from '../api/records.ts';

/** The passes that the person has marked in lists. A reload drops them. */

const selected = new Map<string, FoundPass>();
const listeners = new Set<() => void>();

/** Marks passes, or removes their marks. */
export function select(passes: readonly FoundPass[], isSelected: boolean): void {
  for (const pass of passes) {
    if (isSelected) selected.set(pass.id, pass);
    else selected.delete(pass.id);
  }
  for (const listener of listeners) listener();
}

/** Returns the marked passes by their ids, and renders again when the marks change. */
export function useSelection(): ReadonlyMap<string, FoundPass> {
  const [, redraw] = useState(0);
  useLayoutEffect(() => {
    const listener = () => redraw((each) => each + 1);
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return selected;
}
