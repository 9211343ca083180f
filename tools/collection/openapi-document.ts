/** The parts of the OpenAPI document that this folder reads. */
export interface Document {
  readonly info: { readonly title: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly securitySchemes: {
      readonly oauth2: { readonly flows: { readonly clientCredentials: { readonly tokenUrl: string } } };
    };
  };
}

export interface Operation {
  readonly summary: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

interface Reference {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: { readonly examples?: readonly unknown[] };
}

/** Bodies by media type. A body has one example, or several by name. */
export type Content = Readonly<Record<string, Body>>;

export interface Body {
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** Returns the parameters of an operation. A parameter that several operations have is a reference to the document's components. */
export function parametersOf({ components }: Document, { parameters = [] }: Operation): Parameter[] {
  return parameters.map((each) => {
    if (!('$ref' in each)) return each;
    const found = components.parameters[each.$ref.replace('#/components/parameters/', '')];
    if (found === undefined) throw new Error(`openapi.json has no ${each.$ref}`);
    return found;
  });
}

/** Returns the example of a parameter as text. */
export const exampleOf = ({ example, schema }: Parameter): string => String(example ?? schema.examples?.[0] ?? '');

/** Returns the examples of a body in their order. */
export const examplesOf = ({ example, examples = {} }: Body): unknown[] =>
  example === undefined ? Object.values(examples).map(({ value }) => value) : [example];
