import * as v from 'valibot';
import type { Version } from './account.ts';
import { ApiRefusal } from './refusal.ts';

/** The parts of an upload that the imitation keeps. */
type Uploaded = Omit<Version, 'id' | 'number' | 'created_on'>;

const Binding = v.looseObject({ type: v.string(), name: v.string() });

/** The metadata of an upload. An unknown key is refused, so that a new version of wrangler shows. */
const Metadata = v.strictObject({
  main_module: v.string(),
  bindings: v.array(Binding),
  containers: v.optional(v.unknown()),
  migrations: v.optional(v.looseObject({ new_tag: v.optional(v.string()) })),
  compatibility_date: v.optional(v.string()),
  compatibility_flags: v.optional(v.array(v.string())),
  code_update_strategy: v.optional(v.unknown()),
  keep_bindings: v.optional(v.array(v.string())),
  annotations: v.optional(v.record(v.string(), v.string())),
  assets: v.optional(v.looseObject({ jwt: v.optional(v.string()) })),
  keep_assets: v.optional(v.boolean()),
  observability: v.optional(v.unknown()),
  logpush: v.optional(v.boolean()),
  tags: v.optional(v.array(v.string())),
});

/** Reads the multipart form of an upload: its metadata, and its modules, which are text. */
export async function readUpload(body: Buffer, contentType: string): Promise<Uploaded> {
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': contentType } }).formData();
  const metadata = v.parse(Metadata, JSON.parse(String(form.get('metadata'))));
  const contents = async (part: File | string) => (typeof part === 'string' ? part : part.text());
  const isModule = (part: File | string) => typeof part === 'string' || part.type !== 'application/source-map';
  const parts = [...form].filter(([name, part]) => name !== 'metadata' && isModule(part));
  const modules = await Promise.all(parts.map(async ([path, part]) => ({ path, contents: await contents(part) })));
  // The runtime starts the first one.
  modules.sort((a, b) => Number(b.path === metadata.main_module) - Number(a.path === metadata.main_module));
  if (modules[0]?.path !== metadata.main_module) throw new ApiRefusal(400, 10021, 'No main module was uploaded');
  const isSecret = ({ type }: { type: string }) => type === 'secret_text';
  const { annotations = {} } = metadata;
  return {
    triggered_by: 'upload',
    tag: annotations['workers/tag'],
    message: annotations['workers/message'],
    bindings: metadata.bindings.filter((each) => !isSecret(each)),
    secrets: Object.fromEntries(metadata.bindings.filter(isSecret).map(({ name, text }) => [name, String(text)])),
    compatibility_date: metadata.compatibility_date,
    compatibility_flags: metadata.compatibility_flags ?? [],
    migration_tag: metadata.migrations?.new_tag,
    modules,
  };
}
