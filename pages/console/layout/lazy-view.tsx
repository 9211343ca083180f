import { useEffect, useState } from 'preact/hooks';
import type { ViewComponent, ViewProps } from '../view-component.ts';
import { Problem, Skeleton } from './view.tsx';

type LoadView = () => Promise<ViewComponent>;

/** A view that was open before appears at once. */
const loaded = new Map<LoadView, ViewComponent>();

/** Loads the code of a view and shows the view. */
export function LazyView({ load, ...props }: ViewProps & { readonly load: LoadView }) {
  const [, redraw] = useState(0);
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    let isCurrent = true;
    load().then(
      (view) => {
        loaded.set(load, view);
        if (isCurrent) redraw((each) => each + 1);
      },
      () => isCurrent && setError(new Error('A part of the console did not load. Check your connection and reload.')),
    );
    return () => {
      isCurrent = false;
    };
  }, [load]);
  const Loaded = loaded.get(load);
  if (Loaded !== undefined) return <Loaded {...props} />;
  // A release replaces the files, so an open page may ask for one that is gone. A browser does not try a failed module again.
  if (error !== undefined) return <Problem error={error} retry={() => location.reload()} />;
  return <Skeleton />;
}
