import { convertV2 } from 'openapi-to-postmanv2';
import type { Collection } from './postman-collection.ts';

/** What is dealt with here of the OpenAPI document. */
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
  // Whatever is not required is there, switched off.
  enableOptionalParameters: false,
  alwaysInheritAuthentication: true,
  optimizeConversion: false,
} as const;

/** The document as a collection: a folder for each tag, a request for each operation. Throws where that cannot be. */
export function convertToCollection(document: Document): Promise<Collection> {
  const input = { type: 'json', data: putWalletExampleFirst(document) } as const;
  return new Promise((resolve, reject) => {
    convertV2(input, OPTIONS, (error, outcome) => {
      const made = outcome?.output?.[0]?.data;
      if (error || !outcome?.result || made === undefined) {
        reject(error ?? new Error(`openapi.json makes no collection: ${outcome?.reason}`));
      } else resolve(made as unknown as Collection);
    });
  });
}

/** A copy in which the example about a wallet, where a body has one, is the first: that one becomes the request. */
function putWalletExampleFirst(document: Document): Document {
  return JSON.parse(JSON.stringify(document), (key, value) => (key === 'examples' ? sortExamples(value) : value));
}

function sortExamples(examples: unknown): unknown {
  if (typeof examples !== 'object' || examples === null || Array.isArray(examples)) return examples;
  const isAboutWallet = ([, example]: [string, unknown]) => JSON.stringify(example).includes('"walletAddress"');
  const entries = Object.entries(examples);
  return Object.fromEntries([...entries.filter(isAboutWallet), ...entries.filter((entry) => !isAboutWallet(entry))]);
}
