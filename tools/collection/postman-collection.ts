/** A Postman collection (format 2.1), as far as this folder writes it. */
export interface Collection {
  readonly info: {
    readonly _postman_id: string;
    readonly name: string;
    readonly schema: string;
    readonly description: Description;
  };
  readonly item: readonly Folder[];
  readonly auth: Auth;
  readonly variable: readonly Variable[];
}

export interface Folder {
  readonly name: string;
  readonly description: string;
  readonly item: readonly Item[];
  readonly auth?: Auth;
  readonly event?: readonly Event[];
}

export interface Item {
  readonly id: string;
  readonly name: string;
  readonly request: Request;
  readonly response: readonly SavedResponse[];
}

export interface Request {
  readonly method: string;
  readonly description: string;
  readonly url: {
    readonly host: readonly string[];
    readonly path: readonly string[];
    readonly query: readonly Parameter[];
    readonly variable: readonly Parameter[];
  };
  readonly header: readonly Parameter[];
  readonly body?: {
    readonly mode: 'raw';
    readonly raw: string;
    readonly options: { readonly raw: { readonly language: 'json' } };
  };
}

/** A header, a field of the query or a parameter of the path. */
export interface Parameter {
  readonly key: string;
  readonly value: string;
  readonly description?: string;
  readonly disabled?: boolean;
}

export interface SavedResponse {
  readonly id: string;
  readonly name: string;
  readonly originalRequest: Request;
  readonly code: number;
  readonly status: string;
  readonly header: readonly Parameter[];
  readonly body: string;
  readonly _postman_previewlanguage: 'json' | 'text';
}

export interface Event {
  readonly listen: 'prerequest' | 'test';
  readonly script: { readonly type: 'text/javascript'; readonly exec: readonly string[] };
}

export type Auth =
  | { readonly type: 'noauth' }
  | { readonly type: 'bearer'; readonly bearer: readonly Variable[] }
  | { readonly type: 'oauth2'; readonly oauth2: readonly Variable[] };

export interface Variable {
  readonly key: string;
  readonly value: string;
  readonly type?: 'string' | 'secret';
  readonly description?: string;
}

interface Description {
  readonly content: string;
  readonly type: 'text/markdown';
}
