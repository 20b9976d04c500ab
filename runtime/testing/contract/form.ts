/**
 * Encodes multipart forms: the fields of an upload, valid or not, and its files.
 */
import type { FileDeclaration, UploadDeclaration } from '../../http/upload.ts';

const boundary = 'form-of-the-suite';
export const formType = `multipart/form-data; boundary=${boundary}`;

/** Encodes a form: one part for each value, also for each item of an array, and one for each required file. */
export function formOf(upload: UploadDeclaration, body: unknown): Buffer {
  const fields = body !== null && typeof body === 'object' ? Object.entries(body) : [['value', body] as const];
  const parts = fields.flatMap(([name, value]) => [value].flat().map((each) => fieldPart(name, each)));
  const files = Object.entries(upload.files).flatMap(([name, file]) => (file.optional ? [] : filePart(name, file)));
  return Buffer.concat([...parts, ...files, Buffer.from(`--${boundary}--\r\n`)]);
}

function fieldPart(name: string, value: unknown): Buffer {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return part(`name="${quoted(name)}"`, Buffer.from(text));
}

function filePart(name: string, { mediaTypes, example = 'some bytes' }: FileDeclaration): Buffer {
  const type = `\r\nContent-Type: ${mediaTypes?.[0] ?? 'application/octet-stream'}`;
  return part(`name="${quoted(name)}"; filename="file"${type}`, Buffer.from(example));
}

function part(disposition: string, content: Buffer): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')]);
}

/** Escapes a name as browsers do (HTML, "multipart/form-data"). */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}
