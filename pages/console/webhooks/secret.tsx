import { useState } from 'preact/hooks';
import { Copy } from '../layout/copy.tsx';

/** Shows a secret once, hidden until the person asks, because somebody may look at the screen. */
export function Secret({ secret, children }: { readonly secret: string; readonly children: string }) {
  const [isShown, setIsShown] = useState(false);
  return (
    <div class="secret">
      <p role="status">Store this secret now. It is not shown again. {children}</p>
      <p>
        <code class="whole">{isShown ? secret : '•'.repeat(24)}</code> <Copy text={secret} what="the secret" />{' '}
        <button type="button" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </button>
      </p>
    </div>
  );
}
