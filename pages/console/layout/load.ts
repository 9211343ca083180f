import { useCallback, useEffect, useState } from 'preact/hooks';
import { waitAfter } from '../api/call.ts';

export interface Loaded<Value> {
  readonly value?: Value;
  readonly error?: unknown;
}

interface KeyedLoad<Value> extends Loaded<Value> {
  readonly key?: string;
}

/**
 * Loads data, and again after each `refreshMs` while the page is visible. A failed load keeps the last value. A failed first load is
 * tried again with `reload`, or without it when the service has asked to wait.
 * @param key A change loads the data again.
 */
export function useLoad<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  key: string,
  refreshMs?: number,
): Loaded<Value> & { readonly reload: () => void } {
  const [state, setState] = useState<KeyedLoad<Value>>({});
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const aborted = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let waitMs = refreshMs;
    async function run(): Promise<void> {
      // A hidden page loads only once.
      if (!document.hidden || timer === undefined) {
        try {
          const value = await load(aborted.signal);
          waitMs = refreshMs;
          if (!aborted.signal.aborted) setState({ key, value });
        } catch (error) {
          waitMs = waitAfter(error) ?? refreshMs;
          if (!aborted.signal.aborted) setState((last) => ({ ...stateOf(last, key), key, error }));
        }
      }
      if (waitMs !== undefined && !aborted.signal.aborted) timer = setTimeout(run, waitMs);
    }
    void run();
    return () => {
      aborted.abort();
      clearTimeout(timer);
    };
  }, [key, refreshMs, turn]);
  const reload = useCallback(() => setTurn((each) => each + 1), []);
  return { ...stateOf(state, key), reload };
}

/** The value of an earlier key must not show under the heading of the new one. */
function stateOf<Value>(state: KeyedLoad<Value>, key: string): Loaded<Value> {
  return state.key === key ? state : {};
}

/** Runs an action once at a time. Returns `run`, `isRunning`, and the `error` of the last run. `run` never throws. */
export function useAction<Values extends unknown[]>(action: (...values: Values) => Promise<unknown>) {
  const [state, setState] = useState<{ isRunning: boolean; error?: unknown }>({ isRunning: false });
  const run = async (...values: Values): Promise<void> => {
    if (state.isRunning) return;
    setState({ isRunning: true });
    try {
      await action(...values);
      setState({ isRunning: false });
    } catch (error) {
      setState({ isRunning: false, error });
    }
  };
  return { ...state, run };
}

const nowSeconds = () => Math.floor(Date.now() / 1_000);

/** Returns the time in Unix seconds, and renders again every second: a pass may expire while its view stays open. */
export function useNow(): number {
  const [now, setNow] = useState(nowSeconds);
  useEffect(() => {
    const timer = setInterval(() => setNow(nowSeconds()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
}
