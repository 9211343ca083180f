import openapiTS, { astToString, type SchemaObject } from 'openapi-typescript';
import ts from 'typescript';

/** The types of a document's calls: TypeScript source. */
export async function schemaOf(document: string): Promise<string> {
  const nodes = await openapiTS(JSON.parse(document), {
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
