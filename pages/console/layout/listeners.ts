import { useLayoutEffect, useState } from 'preact/hooks';

/** Makes the listeners of a state that outlives the views: `notify` tells them of a change, and `useChanges` renders a view again. */
export function createListeners() {
  const listeners = new Set<() => void>();
  return {
    notify(): void {
      for (const listener of listeners) listener();
    },
    useChanges(): void {
      const [, redraw] = useState(0);
      // Before the page is shown: a plain effect misses a change that comes earlier.
      useLayoutEffect(() => {
        const listener = () => redraw((each) => each + 1);
        listeners.add(listener);
        return () => void listeners.delete(listener);
      }, []);
    },
  };
}
