import type { ComponentChildren } from 'preact';

interface Tile {
  /** The view that explains the figure. */
  readonly href: string;
  readonly figure: ComponentChildren;
  readonly words: string;
  readonly isWarning?: boolean;
}

/** Figures of an overview, each with a link. */
export const Tiles = ({ tiles }: { readonly tiles: readonly Tile[] }) => (
  <ul class="tiles">
    {tiles.map(({ href, figure, words, isWarning = false }) => (
      <li key={words}>
        <a href={href} class={isWarning ? 'warns' : undefined}>
          <strong>{figure}</strong> {words}
        </a>
      </li>
    ))}
  </ul>
);
