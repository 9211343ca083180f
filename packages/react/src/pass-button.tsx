import type { ComponentProps, ReactNode } from 'react';
import { useGateway } from './gateway-context.ts';
import { ACTIONS, type Texts } from './texts.ts';

export interface PassButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'onClick'> {
  /** Replace the default texts, by the state. */
  readonly actions?: Texts | undefined;
}

/** Requests or renews the pass, or asks again for an answer. Nothing in a state in which pressing it would not help. */
export function PassButton({ actions, ...attributes }: PassButtonProps): ReactNode {
  const { state, isRequested, requestGatewayToken, reinitialize } = useGateway();
  const text = actions?.[state] ?? ACTIONS[state];
  const act = state === 'no-answer' ? reinitialize : requestGatewayToken;
  if (text === undefined || act === undefined) return null;
  return (
    <button type="button" disabled={isRequested} {...attributes} onClick={() => void act()}>
      {text}
    </button>
  );
}
