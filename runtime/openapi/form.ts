/**
 * The request body of an upload in the document: a form with text fields and files (OpenAPI 3.1, "Considerations for
 * multipart Content").
 */
import type { ContentObject, EncodingObject } from 'openapi3-ts/oas31';
import { object, type TProperties, type TSchema, Type } from '../http/schemas.ts';
import type { FileDeclaration, UploadDeclaration } from '../http/upload.ts';
import type { Components } from './components.ts';

/** The request content of a route with `upload`. */
export function formContent(
  upload: UploadDeclaration,
  body: TSchema | undefined,
  components: Components,
): ContentObject {
  const [single] = Object.values(upload.files);
  if (upload.raw && single) return { '*/*': components.content(fileSchema(single)) };
  const files = Object.entries(upload.files).map(([name, file]): [string, TSchema] => [name, fileSchema(file)]);
  const fields = body as { properties?: TProperties; required?: string[] } | undefined;
  const form = object({ ...fields?.properties, ...Object.fromEntries(files) });
  const requiredFiles = files.filter(([name]) => !upload.files[name]?.optional).map(([name]) => name);
  const required = [...(fields?.required ?? []), ...requiredFiles];
  const { schema, example } = components.content({ ...form, required } as TSchema);
  return { 'multipart/form-data': { schema, example, encoding: encodingOf(upload) } };
}

/** The `format` makes explorers show a file input. */
function fileSchema({ count = 1, size, description }: FileDeclaration): TSchema {
  const limit = `At most ${readableSize(size)} per file`;
  const file = Type.String({
    format: 'binary',
    description: description ? `${description}. ${limit}` : limit,
    examples: ['<file content>'],
  });
  return count === 1 ? file : Type.Array(file, { maxItems: count });
}

const mebibyte = 2 ** 20;

export function readableSize(bytes: number): string {
  if (bytes % mebibyte === 0) return `${bytes / mebibyte} MiB`;
  return bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} bytes`;
}

function encodingOf({ files }: UploadDeclaration): Record<string, EncodingObject> {
  return Object.fromEntries(
    Object.entries(files).map(([name, { mediaTypes }]) => [
      name,
      { contentType: mediaTypes?.join(', ') ?? 'application/octet-stream' },
    ]),
  );
}
