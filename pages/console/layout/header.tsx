import { useEffect, useState } from 'preact/hooks';
import { currentSession } from '../session/session.ts';
import { signOut } from '../session/sign-in.ts';
import type { ShortcutView } from './shortcuts.tsx';

interface HeaderProps {
  readonly views: readonly ShortcutView[];
  /** The path of the view that is open. */
  readonly current: string | undefined;
  readonly openShortcuts: () => void;
}

/** The navigation: a list beside the view, tabs above it, or on a narrow screen a menu. */
export function Header({ views, current, openShortcuts }: HeaderProps) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    if (!isOpen) return;
    const close = (event: Event) => {
      if (event instanceof KeyboardEvent && event.key !== 'Escape') return;
      setOpen(false);
    };
    addEventListener('keydown', close);
    addEventListener('hashchange', close);
    return () => {
      removeEventListener('keydown', close);
      removeEventListener('hashchange', close);
    };
  }, [isOpen]);
  return (
    <header class={isOpen ? 'open' : ''}>
      <strong class="brand">Gatepass</strong>
      <button
        type="button"
        class="menu"
        aria-expanded={isOpen}
        aria-controls="menu"
        onClick={() => setOpen((open) => !open)}
      >
        Menu
      </button>
      <div id="menu" class="menu-content">
        <nav aria-label="Views">
          {views.map(({ path, title }) => (
            <a key={path} href={`#/${path}`} aria-current={path === current ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <div class="account">
          <span class="person">
            <bdi>{currentSession()?.sub}</bdi>
          </span>
          <button type="button" class="quiet shortcuts" onClick={openShortcuts}>
            Shortcuts <kbd>?</kbd>
          </button>
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </div>
      </div>
    </header>
  );
}
