import openapiTS, { astToString, type OpenAPI3, type SchemaObject } from 'openapi-typescript';
import ts from 'typescript';

type Node = Record<string, unknown>;

/** The types of the client's calls, made from the document: TypeScript source. */
export async function schemaOf(document: string): Promise<string> {
  const nodes = await openapiTS(partnersPart(JSON.parse(document)), {
    defaultNonNullable: false,
    exportType: false,
    transform: (schema) => openWord(schema),
  });
  return `${HEADING}${astToString(nodes)}`;
}

const HEADING = '/** Made from `openapi.json` by `npm run types -w @gatepass/client`: change nothing here. */\n\n';

/** A word of a list that grows: editors know those there are, and the compiler takes any. */
function openWord(schema: SchemaObject): ts.TypeNode | undefined {
  const words: readonly string[] | undefined = schema['x-extensible-enum'];
  if (words === undefined) return undefined;
  const { factory, SyntaxKind } = ts;
  const any = factory.createIntersectionTypeNode([
    factory.createKeywordTypeNode(SyntaxKind.StringKeyword),
    factory.createTypeLiteralNode([]),
  ]);
  return factory.createUnionTypeNode([
    ...words.map((word) => factory.createLiteralTypeNode(factory.createStringLiteral(word))),
    factory.createParenthesizedType(any),
  ]);
}

/** Without what only the operator calls, and what nothing speaks of then. */
function partnersPart(document: OpenAPI3): OpenAPI3 {
  const { paths = {}, components = {} } = document;
  for (const [path, item] of Object.entries(paths)) {
    const isOperators = Object.values(item as Node).some((it) =>
      (it as { tags?: string[] }).tags?.includes('Operator'),
    );
    if (isOperators) delete paths[path];
  }
  const schemas: Node = components.schemas ?? {};
  const isUnused = (name: string) => !JSON.stringify(document).includes(`"#/components/schemas/${name}"`);
  for (let unused = Object.keys(schemas).filter(isUnused); unused.length > 0; ) {
    for (const name of unused) delete schemas[name];
    unused = Object.keys(schemas).filter(isUnused);
  }
  return document;
}
