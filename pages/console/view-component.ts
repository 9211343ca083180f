import type { FunctionComponent } from 'preact';

/** The properties of every view: the parts of the address after its name. */
export interface ViewProps {
  readonly parameters: readonly string[];
  readonly query: URLSearchParams;
}

export type ViewComponent = FunctionComponent<ViewProps>;
