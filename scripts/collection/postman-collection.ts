/** The parts of a Postman collection (format 2.1) that this folder changes. Other parts stay unchanged. */
export interface Collection {
  info: { _postman_id: string; name: string; description: Description; schema: string };
  item: Folder[];
  auth?: Auth;
  variable: Variable[];
}

export interface Folder {
  name: string;
  item: Item[];
  auth?: Auth;
  event?: Event[];
}

export interface Item {
  id: string;
  name: string;
  request: Request;
  response: SavedResponse[];
}

export interface Request {
  method: string;
  url: { path: string[]; variable: { key: string; value: string }[] };
  header: { key: string; value: string; disabled?: boolean }[];
  body?: { raw?: string };
}

export interface SavedResponse {
  id: string;
  code: number;
  originalRequest: Request;
}

export interface Event {
  listen: 'prerequest' | 'test';
  script: { type: 'text/javascript'; exec: string[] };
}

export type Auth = { type: 'noauth' } | { type: 'bearer'; bearer: Variable[] } | { type: 'oauth2'; oauth2: Variable[] };

export interface Variable {
  key: string;
  value: string;
  type?: 'string' | 'secret';
  description?: string;
}

interface Description {
  content: string;
  type: string;
}
