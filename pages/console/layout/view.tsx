import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError } from '../api/call.ts';
import { Copy } from './copy.tsx';

interface ViewProps {
  readonly title: string;
  /** Buttons beside the heading. */
  readonly actions?: ComponentChildren;
  readonly children?: ComponentChildren;
}

/** A view with a heading, which gets the focus so that screen readers announce the view. */
export function View({ title, actions, children }: ViewProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Gatepass console`;
    heading.current?.focus();
  }, [title]);
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1} ref={heading}>
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </>
  );
}

/** What the person can do next about a fault of that kind. */
function adviceFor({ status, retryAfter }: ApiError): string {
  if (status === 0) return 'Nothing that you entered is lost.';
  if (status === 429) return retryAfter > 0 ? `Try again in ${retryAfter} seconds.` : 'Wait a moment, and try again.';
  if (status >= 500) return 'The fault is on the side of the service. Try again in a moment.';
  return '';
}

/**
 * Shows why the service refused something, with the id that the operator needs.
 * @param retry Does it again. A button for it appears if that may help.
 */
export function Problem({ error, retry }: { readonly error: unknown; readonly retry?: (() => void) | undefined }) {
  if (error === undefined) return null;
  const problem = error instanceof ApiError ? error : undefined;
  const advice = problem && adviceFor(problem);
  const mayHelp = problem === undefined || problem.status === 0 || problem.status === 429 || problem.status >= 500;
  return (
    <div class="problem" role="alert">
      <p>
        {error instanceof Error ? error.message : String(error)} {advice}
      </p>
      {problem?.requestId && (
        <p>
          Request id: <code>{problem.requestId}</code> <Copy text={problem.requestId} what="the request id" />
        </p>
      )}
      {retry && mayHelp && (
        <div class="actions">
          <button type="button" onClick={retry}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

/** Warns that a list lacks the entries of databases that did not answer. */
export const UnreadShards = ({ shards = [] }: { readonly shards?: readonly string[] | undefined }) =>
  shards.length > 0 ? (
    <p class="warning">The list is incomplete. These databases did not answer: {shards.join(', ')}</p>
  ) : null;

/** Shows the result of an action to screen readers too. */
export const Status = ({ children }: { readonly children?: ComponentChildren }) => (
  <p role="status" class="status">
    {children}
  </p>
);

/** Says that a list has no entries, and offers the next action. */
export const Empty = ({ text, children }: { readonly text: string; readonly children?: ComponentChildren }) => (
  <div class="empty">
    <p role="status">{text}</p>
    {children && <div class="actions">{children}</div>}
  </div>
);

/** Keeps the place of content that loads, so that nothing jumps. */
export const Skeleton = ({ rows = 6 }: { readonly rows?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, row) => (
      <span key={row} />
    ))}
  </div>
);
