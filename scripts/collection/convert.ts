import { convertV2 } from 'openapi-to-postmanv2';
import type { Collection } from './postman-collection.ts';

/** The parts of the OpenAPI document that this folder reads. */
export interface Document {
  readonly info: { readonly description: string };
  readonly components: {
    readonly securitySchemes: {
      readonly oauth2: { readonly flows: { readonly clientCredentials: { readonly tokenUrl: string } } };
    };
  };
}

const OPTIONS = {
  folderStrategy: 'Tags',
  parametersResolution: 'Example',
  // Optional parameters are in the collection, but disabled.
  enableOptionalParameters: false,
  alwaysInheritAuthentication: true,
  optimizeConversion: false,
} as const;

/** Returns the document as a collection: a folder for each tag, a request for each operation. Rejects if the conversion fails. */
export function convertToCollection(document: Document): Promise<Collection> {
  const input = { type: 'json', data: putWalletExampleFirst(document) } as const;
  return new Promise((resolve, reject) => {
    convertV2(input, OPTIONS, (error, outcome) => {
      const made = outcome?.output?.[0]?.data;
      if (error || !outcome?.result || made === undefined) {
        reject(error ?? new Error(`openapi.json cannot be converted to a collection: ${outcome?.reason}`));
      } else resolve(made as unknown as Collection);
    });
  });
}

/** Returns a copy with the example about a wallet first, if a body has one: the first example becomes the request. */
function putWalletExampleFirst(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (key, value) => (key === 'examples' ? sortExamples(value) : value));
}

function sortExamples(examples: unknown): unknown {
  if (typeof examples !== 'object' || examples === null || Array.isArray(examples)) return examples;
  const isAboutWallet = ([, example]: [string, unknown]) => JSON.stringify(example).includes('"walletAddress"');
  const entries = Object.entries(examples);
  return Object.fromEntries([...entries.filter(isAboutWallet), ...entries.filter((entry) => !isAboutWallet(entry))]);
}
