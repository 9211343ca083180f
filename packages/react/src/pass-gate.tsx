import type { ReactNode } from 'react';
import { useGateway } from './gateway-context.ts';
import { PassButton } from './pass-button.tsx';
import { TEXTS, type Texts } from './texts.ts';

export interface PassGateProps {
  /** Rendered only while the wallet has a valid pass. */
  readonly children?: ReactNode;
  /** Rendered while it has none, in place of the text and the button. */
  readonly fallback?: ReactNode;
  /** Replace the default texts, by the state. */
  readonly texts?: Texts | undefined;
  /** Replace the default texts of the button, by the state. */
  readonly actions?: Texts | undefined;
}

/**
 * Shows its children while the wallet has a valid pass, and otherwise why not, with a button if there is something to do. Screen readers
 * read each new state. It protects nothing by itself: your contract or back end must check too.
 */
export function PassGate({ children, fallback, texts, actions }: PassGateProps): ReactNode {
  const { isValid, state } = useGateway();
  if (!isValid && fallback !== undefined) return fallback;
  // The element stays, because screen readers announce only a change of a status that exists.
  return (
    <>
      <p role="status">{state === 'active' ? '' : (texts?.[state] ?? TEXTS[state])}</p>
      <PassButton actions={actions} />
      {isValid && children}
    </>
  );
}
