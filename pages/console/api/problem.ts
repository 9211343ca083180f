/** The problem of an answer, as far as the console reads it. */
export interface Problem {
  readonly status: number;
  readonly code?: string;
  readonly detail?: string;
  readonly requestId?: string | undefined;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
  /** The first event that the feed still has. */
  readonly oldest?: number;
}

/** Returns the detail of a problem with its fields in words for people, without their places in the request. */
export function describeProblem({ detail = '', errors = [] }: Pick<Problem, 'detail' | 'errors'>): string {
  const fields = errors.map(({ pointer, detail: fault }) => {
    const field = pointer.replace(/^\/(items\/\d+\/?|filter\/)?/, '');
    return `${field || 'The input'} ${fault}.`;
  });
  // The sentence about "errors" is for programs.
  const sentences = detail.split('.').filter((sentence) => !sentence.includes('"errors"'));
  const general = sentences.join('.');
  return [general, ...fields].join(' ');
}
