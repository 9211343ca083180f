import { useEffect, useRef, useState } from 'preact/hooks';

/** In the storage of the browser, once somebody has turned the shortcuts off. */
const OFF_KEY = 'gatepass-shortcuts-off';
/** The second key of a sequence must follow within this time. */
const SEQUENCE_MS = 1_500;

export interface ShortcutView {
  readonly path: string;
  readonly title: string;
  /** The key after `g` that opens the view. */
  readonly key: string;
}

const isOn = () => localStorage.getItem(OFF_KEY) === null;

/** Whether the person types into a field. No shortcut may act there. */
const isField = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'));

/** Moves the focus to the next or the previous row of the list. */
function moveInList(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main .list tbody tr')];
  const links = rows.flatMap((row) => row.querySelector('a') ?? []);
  const current = rows.filter((row) => row.querySelector('a')).findIndex((row) => row.contains(document.activeElement));
  const next = current === -1 ? 0 : current + step;
  links[next]?.focus();
}

/** Acts on the keys of the console. Returns what opens the list of them. */
export function useShortcuts(views: readonly ShortcutView[]): {
  readonly isOpen: boolean;
  setOpen(open: boolean): void;
} {
  const [isOpen, setOpen] = useState(false);
  const goes = useRef(0);
  useEffect(() => {
    const act = (event: KeyboardEvent) => {
      const { key, target } = event;
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (!isOn() || isField(target) || document.querySelector('dialog[open]')) return;
      const afterGo = event.timeStamp - goes.current < SEQUENCE_MS;
      goes.current = 0;
      const view = afterGo ? views.find((each) => each.key === key) : undefined;
      if (view !== undefined) location.hash = `#/${view.path}`;
      else if (key === 'g') goes.current = event.timeStamp;
      else if (key === '?') setOpen(true);
      else if (key === '/') document.querySelector<HTMLElement>('main [type=search]')?.focus();
      else if (key === 'j') moveInList(1);
      else if (key === 'k') moveInList(-1);
      else return;
      // The key must not end in the field that gets the focus.
      event.preventDefault();
    };
    addEventListener('keydown', act);
    return () => removeEventListener('keydown', act);
  }, [views]);
  return { isOpen, setOpen };
}

interface ShortcutListProps {
  readonly views: readonly ShortcutView[];
  readonly onClose: () => void;
}

/** Lists the keys, and turns them off and on. */
export function ShortcutList({ views, onClose }: ShortcutListProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [on, setOn] = useState(isOn);
  useEffect(() => dialog.current?.showModal(), []);
  const toggle = () => {
    if (on) localStorage.setItem(OFF_KEY, 'yes');
    else localStorage.removeItem(OFF_KEY);
    setOn(!on);
  };
  return (
    <dialog ref={dialog} aria-labelledby="shortcuts-title" onClose={onClose}>
      <h2 id="shortcuts-title">Keyboard shortcuts</h2>
      <dl class="facts keys">
        {views.map(({ path, title, key }) => (
          <Key key={path} keys={['g', key]} text={title} />
        ))}
        <Key keys={['/']} text="Search" />
        <Key keys={['j']} text="Next row of a list" />
        <Key keys={['k']} text="Previous row of a list" />
        <Key keys={['?']} text="This list" />
        <Key keys={['Esc']} text="Close a dialog or the menu" />
      </dl>
      <p>They do not act while you type in a field.</p>
      <label class="check">
        <input type="checkbox" checked={on} onChange={toggle} /> Use keyboard shortcuts in this browser
      </label>
      <div class="actions">
        <button type="button" onClick={() => dialog.current?.close()}>
          Close
        </button>
      </div>
    </dialog>
  );
}

const Key = ({ keys, text }: { readonly keys: readonly string[]; readonly text: string }) => (
  <>
    <dt>
      {keys.map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </dt>
    <dd>{text}</dd>
  </>
);
